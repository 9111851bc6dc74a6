"""Allows one run per thread: a run holds a claim on its thread, in the store that all servers of a deployment share.

The dev server lets a thread's runs wait for one another; servers of several machines may not. Two runs at once would fork the
thread's checkpoints, and the later one to end would undo the other. So a run claims its thread before its first call, renews
the claim while it works, and deletes it when it ends. A second run is refused, unless the first one's claim runs out: then its
machine is gone.

Each run writes its claim before it reads those of others, so that of two runs the later one always sees the earlier one. Of
runs that claim at the same time, the one whose id comes first stays.
"""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from pydantic import BaseModel

from schemas.context import RunContext
from services.run.errors import BadInput
from services.run.log import WARNING, log
from services.run.ui_text import told

LEASE = 15.0
"""Seconds for which a claim holds unless it is renewed; the clocks of several machines must agree better than that."""
RENEW = 5.0
LOOK = 0.25
"""Seconds between two checks of a rival's claim."""
_MAX_CLAIMS = 100


class _Claim(BaseModel):
    run: str
    until: float
    """Seconds since the epoch."""
    working: bool = True
    """False while the run looks whether it is alone."""


@dataclass(slots=True)
class Hold:
    """A run's claim on its thread."""

    store: BaseStore
    thread: str
    run: str
    working: bool = False
    renewed: float = 0.0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lets parallel steps claim their thread only once."""

    @property
    def _place(self) -> tuple[str, str]:
        return "claims", hashlib.sha256(self.thread.encode()).hexdigest()[:32]

    async def take(self) -> None:
        """Claim the thread, or renew an old claim.

        Raises:
            BadInput: another run works on the thread.
        """
        async with self._lock:
            if not self.working:
                await self._claim()
            elif time.monotonic() - self.renewed > RENEW:
                await self._write()

    async def _claim(self) -> None:
        await self._write()
        try:
            while rivals := await self._rivals():
                await self._outlast(max(rivals, key=lambda rival: (rival.working, rival.run < self.run)))
                await self._write()  # the claim may have expired meanwhile
            self.working = True
            await self._write()
        except BaseException:
            await self.let_go()
            raise

    async def let_go(self) -> None:
        """Release the thread."""
        self.working = False
        await asyncio.shield(asyncio.ensure_future(self.store.adelete(self._place, self.run)))

    async def _outlast(self, rival: _Claim) -> None:
        """Wait until a rival's claim expires, or changes while the rival still checks for other claims."""
        changed = not rival.working and rival.run < self.run
        while not changed and time.time() < rival.until:
            await asyncio.sleep(LOOK)
            now = next((claim for claim in await self._rivals() if claim.run == rival.run), None)
            changed = now != rival and (now is not None or time.time() < rival.until)
            if changed and not rival.working:
                return
        if changed:
            raise BadInput(**told("thread_busy", run=rival.run))

    async def _rivals(self) -> list[_Claim]:
        items = await self.store.asearch(self._place, limit=_MAX_CLAIMS)
        claims = [_Claim.model_validate(item.value) for item in items]
        return [claim for claim in claims if claim.run != self.run and claim.until > time.time()]

    async def _write(self) -> None:
        claim = _Claim(run=self.run, until=time.time() + LEASE, working=self.working)
        await self.store.aput(self._place, self.run, claim.model_dump(), index=False)
        self.renewed = time.monotonic()


_holds: dict[tuple[str, str], Hold] = {}
"""Holds of this process, by thread and run."""


def _hold(runtime: Runtime[RunContext]) -> Hold | None:
    """Return a run's hold of its thread; None outside of servers, where a lock file has the same effect."""
    info = runtime.execution_info
    run = str(get_config().get("configurable", {}).get("run_id") or "")
    if info is None or info.thread_id is None or runtime.store is None or not run:
        return None
    key = (info.thread_id, run)
    if key not in _holds:
        _holds[key] = Hold(runtime.store, info.thread_id, run, renewed=time.monotonic())
    return _holds[key]


@asynccontextmanager
async def hold_thread(runtime: Runtime[RunContext]) -> AsyncIterator[None]:
    """Hold the run's thread while a node works, and on to the next node; `give_free` releases it at the end of the run.

    Raises:
        BadInput: another run works on the thread.
    """
    hold = _hold(runtime)
    if hold is None:
        yield
        return
    await hold.take()
    renewing = asyncio.create_task(_renewed(hold))
    try:
        yield
    finally:
        renewing.cancel()


async def give_free(thread: str, run: str) -> None:
    """Release a run's thread: the run has ended, or waits for a person. A claim that cannot be deleted expires."""
    hold = _holds.pop((thread, run), None)
    if hold is not None:
        try:
            await hold.let_go()
        except Exception as error:  # noqa: BLE001 - whatever the store raises, it is not why the run ended
            log("claim_kept", WARNING, run=thread, error=type(error).__name__)


async def _renewed(hold: Hold) -> None:
    while True:
        await asyncio.sleep(RENEW)
        if hold.working:
            await hold.take()
