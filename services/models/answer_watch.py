"""Watching one attempt at a call while its answer comes: signs of life, what the model is at, repetition without end."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

from schemas.events import CallProgress
from services.models.reasoning_tags import CLOSE, OPEN
from services.models.repetition import RepetitionWatch

Sign = Literal["alive", "thinking", "writing"]
"""A sign of life: a comment or an empty piece, a piece of reasoning, a piece of the answer."""
TELL_EVERY = 5.0
"""Seconds after which whoever watches is told, and told again."""


class RepeatsItself(Exception):
    """An answer repeats itself without end."""

    def __init__(self, text: str) -> None:
        super().__init__("the answer repeats itself")
        self.text = text
        """Of the answer, what comes before the repetitions."""


class AnswerWatch:
    """Takes the pieces of an answer."""

    def __init__(self) -> None:
        self.state: Literal["waiting", "thinking", "writing"] = "waiting"
        self.characters = 0
        """Of reasoning and answer, so far."""
        self.on_sign: Callable[[bool], None] | None = None
        self._text = ""
        self._before = 0
        """Characters of the text before the answer: reasoning between tags."""
        self._repetition = RepetitionWatch()

    def hear(self, sign: Sign, text: str = "") -> None:
        """Take a sign of life, with the text that came.

        Raises:
            RepeatsItself: the answer only repeats what came before it. Reasoning may.
        """
        if self.on_sign is not None:
            self.on_sign(sign != "alive" or self.state != "waiting")
        if sign == "alive":
            return
        self.characters += len(text)
        if sign == "writing":
            self._text += text
        self.state = "thinking" if sign == "thinking" or self._between_tags() else "writing"
        if self.state == "thinking":
            self._before = len(self._text)
            return
        sense = self._repetition.add(text)
        if sense is not None:
            raise RepeatsItself(self._text[: self._before + sense])

    def _between_tags(self) -> bool:
        """Tell whether the text so far is reasoning between tags."""
        if self.state == "writing":
            return False
        begun = self._text[:100].lstrip().lower()
        return OPEN.startswith(begun) or (begun.startswith(OPEN) and CLOSE not in self._text[-1_000:].lower())


@asynccontextmanager
async def telling(
    watch: AnswerWatch, role: str, attempt: int, tell: Callable[[CallProgress], None]
) -> AsyncIterator[None]:
    """Tell every few seconds how an attempt stands, while the block runs; a quick one is not told of.

    Args:
        watch: of the attempt.
        role: of the model.
        attempt: number of the attempt, from 1.
        tell: takes what is told.
    """
    began = time.monotonic()

    async def keep_telling() -> None:
        while True:
            await asyncio.sleep(TELL_EVERY)
            seconds = round(time.monotonic() - began, 1)
            tell(CallProgress(role=role, state=watch.state, seconds=seconds, attempt=attempt))

    teller = asyncio.ensure_future(keep_telling())
    try:
        yield
    finally:
        teller.cancel()
