"""Watches the answer of one attempt while it streams: signs of life, reasoning or writing, endless repetition."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

from schemas.events import CallProgress, CallState
from services.models.reasoning_tags import closing_of, may_open

Sign = Literal["alive", "thinking", "writing"]
"""A sign of life: a comment or an empty piece, a piece of reasoning, a piece of the answer."""
REPORT_EVERY = 5.0
"""Seconds between two progress messages about an attempt."""
MIN_REPEATED = 400
"""Minimum characters of repetition at an answer's end: a table rule or a run of blanks is shorter."""
MIN_TIMES = 5
"""Minimum number of consecutive copies of the same piece."""
LONGEST_PIECE = 600
"""Maximum characters of a repeated piece."""
_EVERY = 80
"""Number of new characters after which the end is checked again."""
_ANCHOR = 24
"""Characters at the end whose previous occurrence gives the length of the piece."""
_SHORT = 3
_MIN_SHORT = 800
"""Minimum characters of repetition of a piece of at most `_SHORT` characters: long lines of dashes are valid."""


class RepeatsItself(Exception):
    """An answer repeats itself without end."""

    def __init__(self, text: str) -> None:
        super().__init__("the answer repeats itself")
        self.text = text
        """The part of the answer before the repetitions."""


class BrokeOff(ConnectionError):
    """The stream ended before the answer was complete."""

    def __init__(self) -> None:
        super().__init__("the answer broke off in its middle")


class AnswerWatch:
    """Takes the pieces of an answer."""

    def __init__(self) -> None:
        self.state: Literal["waiting", "thinking", "writing"] = "waiting"
        self.characters = 0
        """Characters of reasoning and answer so far."""
        self.on_sign: Callable[[bool], None] | None = None
        self._text = ""
        self._before = 0
        """Characters of the text before the answer: reasoning between tags."""
        self._unchecked = 0
        """Characters of the answer since its end was last looked at for repetition."""

    def hear(self, sign: Sign, text: str = "") -> None:
        """Take a sign of life and the text that came with it.

        Raises:
            RepeatsItself: the end of the answer only repeats earlier text; reasoning may repeat itself.
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
        self._unchecked += len(text)
        if self._unchecked < _EVERY:
            return
        self._unchecked = 0
        repeated = _repeated_at_end(self._text[self._before :][-LONGEST_PIECE * MIN_TIMES - _ANCHOR :])
        if repeated:
            raise RepeatsItself(self._text[:-repeated])

    def _between_tags(self) -> bool:
        if self.state == "writing":
            return False
        closing = closing_of(self._text)
        return may_open(self._text) or (closing is not None and not (closing and closing in self._text[-1_000:]))


def _repeated_at_end(text: str) -> int:
    """Return the number of repeated characters at the end, 0 if fewer than `MIN_TIMES` copies stand there.

    Only exact repetition counts: rows of a table, or sentences that differ in a number, are none.
    """
    anchor = text[-_ANCHOR:]
    earlier = text.rfind(anchor, 0, len(text) - 1)
    period = len(text) - _ANCHOR - earlier
    if earlier < 0 or len(text) < MIN_REPEATED or period > LONGEST_PIECE:
        return 0
    length = period
    while length < len(text) and text[-length - 1] == text[-length - 1 + period]:
        length += 1
    enough = max(MIN_TIMES * period, _MIN_SHORT if period <= _SHORT else MIN_REPEATED)
    return length - period if length >= enough else 0


@asynccontextmanager
async def progress_reported(
    state: Callable[[], CallState], role: str, attempt: int, on_progress: Callable[[CallProgress], None]
) -> AsyncIterator[None]:
    """Report how an attempt, or the program that it wrote, stands every few seconds while the block runs; quick ones report nothing."""
    began = time.monotonic()

    async def keep_reporting() -> None:
        while True:
            await asyncio.sleep(REPORT_EVERY)
            seconds = round(time.monotonic() - began, 1)
            on_progress(CallProgress(role=role, state=state(), seconds=seconds, attempt=attempt))

    reporter_task = asyncio.ensure_future(keep_reporting())
    try:
        yield
    finally:
        reporter_task.cancel()
