"""How long a call may be silent: until the first piece of its answer, and from one piece to the next.

A long answer that keeps coming is not cut off; one that stalls is given up soon enough to be asked for again.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk


@dataclass(slots=True)
class Silence:
    """What is heard of one call."""

    limit: asyncio.Timeout
    between: float
    last: float = field(default_factory=lambda: asyncio.get_running_loop().time())
    longest: float = 0.0
    """Seconds of its longest silence so far."""

    def broken(self) -> None:
        """Note a piece of the answer: from here on the limit is the one between pieces."""
        now = asyncio.get_running_loop().time()
        self.longest, self.last = max(self.longest, now - self.last), now
        with suppress(RuntimeError):  # the limit was reached in this very moment
            self.limit.reschedule(now + self.between)


_listening: ContextVar[Silence | None] = ContextVar("listening", default=None)


@asynccontextmanager
async def silence_limited(first: float, between: float) -> AsyncIterator[Silence]:
    """Give a call up when it is silent for too long.

    Args:
        first: seconds until the first piece of the answer.
        between: seconds from each piece to the next.

    Raises:
        TimeoutError: it was.
    """
    async with asyncio.timeout(first) as limit:
        silence = Silence(limit, between)
        token = _listening.set(silence)
        try:
            yield silence
        finally:
            _listening.reset(token)


def note_progress() -> None:
    """Note that a piece of an answer came in."""
    silence = _listening.get()
    if silence is not None:
        silence.broken()


class Listener(AsyncCallbackHandler):
    """Hears the pieces that a provider's own integration hands to its callbacks."""

    async def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Note a piece."""
        note_progress()
