"""Limits how long a call may be silent: before the first sign of life of its answer, and between two of them.

A long answer that keeps coming is not cut off; one that stalls is given up soon enough to be asked for again. Reasoning,
heartbeats and comments of a stream are signs of life.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from services.models.endpoint_memory import Learned, learned
from services.run.roles import RoleModel

UNKNOWN_SECONDS = 120.0
"""Seconds of silence allowed before the answer of an endpoint with fewer than `KNOWN_ANSWERS` answers: a slow machine
takes its time to read, and a reasoning model may think in silence."""
KNOWN_SECONDS = 30.0
"""Minimum seconds of silence allowed before the answer of a known endpoint."""
AMID_SECONDS = 30.0
"""Seconds of silence allowed between two signs of life of an answer."""
KNOWN_ANSWERS = 3
"""Answers after which an endpoint's silence is known: the first prompts of a run are short."""
PATIENCE = 3.0
"""Factor on a model's longest silence so far."""


@asynccontextmanager
async def stall_limited(model: RoleModel, stalls: int) -> AsyncIterator[Callable[[bool], None]]:
    """Abort an attempt that is silent for too long; yields the function to call for each sign of life.

    The function takes whether any reasoning or answer has come: until then, each heartbeat restarts the first limit.
    The longest silence of a model raises its later limits.

    Args:
        model: the model that is called.
        stalls: attempts at this call that were given up before; each doubles the limits.

    Raises:
        TimeoutError: the model sent nothing for as long as the limit.
    """
    known = learned(model)
    first, between = (min(model.timeout, seconds * 2**stalls) for seconds in _limits(model, known))
    loop = asyncio.get_running_loop()
    last, longest = loop.time(), 0.0
    async with asyncio.timeout(first) as limit:

        def sign_came(begun: bool) -> None:
            nonlocal last, longest
            now = loop.time()
            longest, last = max(longest, now - last), now
            with suppress(RuntimeError):  # the limit was reached in this very moment
                limit.reschedule(now + (between if begun else first))

        yield sign_came
    known.longest_silence = max(known.longest_silence, longest)


def _limits(model: RoleModel, known: Learned) -> tuple[float, float]:
    """Return the allowed seconds of silence before an answer and within it."""
    minimum = PATIENCE * known.longest_silence
    unknown = known.answers < KNOWN_ANSWERS
    first = model.first_token_timeout or (UNKNOWN_SECONDS if unknown else KNOWN_SECONDS)
    return max(first, minimum), max(model.token_timeout or AMID_SECONDS, minimum)
