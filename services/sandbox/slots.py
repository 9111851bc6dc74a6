"""Limits how many parsing processes, browsers or searches work side by side in this process, over all of its event loops."""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import asynccontextmanager


class Slots:
    """A semaphore for tasks of any event loop; who waits longest comes first. A server may run each research in its own loop."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[Future[None]] = deque()
        self._lock = threading.Lock()

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Wait for a slot, and hold it while the block runs."""
        with self._lock:
            turn: Future[None] | None = None
            if self._free and not self._waiting:
                self._free -= 1
            else:
                turn = Future()
                self._waiting.append(turn)
        if turn is not None:
            await self._wait(turn)
        try:
            yield
        finally:
            self._give_back()

    @property
    def wanted(self) -> bool:
        """Whether somebody waits for a slot."""
        return bool(self._waiting)

    async def _wait(self, turn: Future[None]) -> None:
        try:
            await asyncio.wrap_future(turn)
        except asyncio.CancelledError:
            if not turn.cancel() and not turn.cancelled():  # the slot came at the moment of the cancellation
                self._give_back()
            raise

    def _give_back(self) -> None:
        with self._lock:
            while self._waiting:
                if (turn := self._waiting.popleft()).set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            self._free += 1
