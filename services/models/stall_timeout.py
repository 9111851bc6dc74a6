"""How long a call may be silent: until the first piece of its answer, and from one piece to the next.

A long answer that keeps coming is not cut off; one that stalls is given up soon enough to be asked for again.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from services.models.endpoint import learned
from services.run.roles import RoleModel

PATIENCE = 2.0
"""How many times as long as a model has been silent before it is waited for."""


@asynccontextmanager
async def stall_limited(model: RoleModel, stalls: int) -> AsyncIterator[Callable[[], None]]:
    """Give an attempt up when it is silent for too long; gives the function to call for each piece of the answer.

    What a slow model needed once it is given from then on.

    Args:
        model: who is called.
        stalls: attempts at this call that were given up before; each doubles the limits.

    Raises:
        TimeoutError: the model sent nothing for as long as the limit.
    """
    known = learned(model)
    minimum = PATIENCE * known.longest_silence
    first, between = (
        min(model.timeout, max(minimum, seconds) * 2**stalls)
        for seconds in (model.first_token_timeout, model.token_timeout)
    )
    loop = asyncio.get_running_loop()
    last, longest = loop.time(), 0.0
    async with asyncio.timeout(first) as limit:

        def piece_came() -> None:
            nonlocal last, longest
            now = loop.time()
            longest, last = max(longest, now - last), now
            with suppress(RuntimeError):  # the limit was reached in this very moment
                limit.reschedule(now + between)

        yield piece_came
    known.longest_silence = max(known.longest_silence, longest)
