"""One run a thread: while a run works it holds a claim on its thread, in the store that all servers of a deployment share.

The dev server lets a thread's runs wait for one another; servers of several machines may not. Two runs at once would fork the
thread's checkpoints, and the later one to end would undo the other. So a run claims its thread before its first call, renews
the claim while it works, and lets go when it ends. A second run is refused, unless the first one's claim runs out: then its
machine is gone. Who may have a thread is found out by Lamport's bakery algorithm, which needs nothing of a store but that
what was written is read: "A New Solution of Dijkstra's Concurrent Programming Problem", 1974.
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

LEASE = 15.0
"""Seconds for which a claim holds unless it is renewed. Clocks of several machines should agree better than that."""
RENEW = 5.0
LOOK = 0.25
"""Seconds between two looks at a rival's claim."""
_MOST = 100


class _Claim(BaseModel):
    run: str
    until: float
    """Seconds since the epoch."""
    choosing: bool = False
    ticket: int = 0


@dataclass(slots=True)
class Hold:
    """What a run holds of its thread."""

    store: BaseStore
    thread: str
    run: str
    ticket: int = 0
    renewed: float = 0.0
    _taking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Steps that run side by side claim their thread once."""

    @property
    def _place(self) -> tuple[str, str]:
        return "claims", hashlib.sha256(self.thread.encode()).hexdigest()[:32]

    async def take(self) -> None:
        """Claim the thread, or renew the claim where it is getting old.

        Raises:
            BadInput: another run works on the thread.
        """
        async with self._taking:
            if not self.ticket:
                await self._take()
            elif time.monotonic() - self.renewed > RENEW:
                await self._write(ticket=self.ticket)

    async def _take(self) -> None:
        await self._write(choosing=True)
        ticket = 1 + max((other.ticket for other in await self._others()), default=0)
        await self._write(ticket=ticket)
        try:
            while rivals := [other for other in await self._others() if self._before(other, ticket)]:
                await self._outlast(rivals[0])
        except BaseException:
            await self._delete()
            raise
        self.ticket = ticket

    async def let_go(self) -> None:
        """Give the thread free."""
        self.ticket = 0
        await asyncio.shield(asyncio.ensure_future(self._delete()))

    def _before(self, other: _Claim, ticket: int) -> bool:
        return other.choosing or (other.ticket, other.run) < (ticket, self.run)

    async def _outlast(self, rival: _Claim) -> None:
        """Wait until a rival's claim runs out, or a choice is made.

        Raises:
            BadInput: the rival is alive: it has renewed its claim, or has ended and left the thread changed.
        """
        while time.time() < rival.until:
            await asyncio.sleep(LOOK)
            now = next((other for other in await self._others() if other.run == rival.run), None)
            if rival.choosing and (now is None or not now.choosing):
                return
            if now is None and time.time() >= rival.until:
                return
            if now is None or now.until > rival.until:
                raise BadInput(
                    f"Another run ({rival.run}) works on this thread already, and a thread has one run at a time. Wait for it "
                    "to end and start this one again, or cancel it first."
                )

    async def _others(self) -> list[_Claim]:
        """Return the claims of other runs that have not run out."""
        found = [_Claim.model_validate(one.value) for one in await self.store.asearch(self._place, limit=_MOST)]
        return [one for one in found if one.run != self.run and one.until > time.time()]

    async def _write(self, *, choosing: bool = False, ticket: int = 0) -> None:
        claim = _Claim(run=self.run, until=time.time() + LEASE, choosing=choosing, ticket=ticket)
        await self.store.aput(self._place, self.run, claim.model_dump(), index=False)
        self.renewed = time.monotonic()

    async def _delete(self) -> None:
        await self.store.adelete(self._place, self.run)


_holds: dict[tuple[str, str], Hold] = {}
"""Of this process, by thread and run."""


def _hold(runtime: Runtime[RunContext]) -> Hold | None:
    """Return a run's hold of its thread; None where no server runs it: there a lock file does the same."""
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
    """Hold the run's thread while a node works, and on to the next node; `give_free` lets go of it when the run has ended.

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
    """Give a run's thread free: the run has ended, or waits for a person. A claim that cannot be deleted runs out."""
    hold = _holds.pop((thread, run), None)
    if hold is not None:
        try:
            await hold.let_go()
        except Exception as error:  # noqa: BLE001 - whatever the store raises, it is not why the run ended
            log("claim_kept", WARNING, run=thread, error=type(error).__name__)


async def _renewed(hold: Hold) -> None:
    while True:
        await asyncio.sleep(RENEW)
        if hold.ticket:
            await hold.take()
