"""What a run needs only later is got ready while its first model call is under way, so that nobody waits for it."""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

LATER = ("numpy", "services.evidence.citations", "services.evidence.bundle")
"""Modules that searching and reporting import when they begin."""


class WarmUp(BaseCallbackHandler):
    """A callback handler that gets things ready as soon as the first model call goes out."""

    run_inline = True
    """Called at once, in the event loop: nothing of the run's order changes."""

    def __init__(self, *work: Callable[[], Awaitable[None]]) -> None:
        """Take what is to be done besides importing `LATER`; whatever goes wrong there is left to whoever needs it."""
        self._work = (_import_all, *work)
        self._tasks: list[asyncio.Task[None]] = []

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Begin, once."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(_quietly(one)) for one in self._work]

    async def end(self) -> None:
        """Wait for the end of it, as a thread that still imports would delay the end of the process."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def stop(self) -> None:
        """Leave off."""
        for task in self._tasks:
            task.cancel()


@asynccontextmanager
async def getting_ready(*work: Callable[[], Awaitable[None]]) -> AsyncIterator[WarmUp]:
    """Get things ready while the block lasts; a block that is left early leaves the rest undone."""
    warm_up = WarmUp(*work)
    try:
        yield warm_up
    except BaseException:
        warm_up.stop()
        raise
    finally:
        await warm_up.end()


async def _quietly(work: Callable[[], Awaitable[None]]) -> None:
    with contextlib.suppress(Exception):
        await work()


async def _import_all() -> None:
    await asyncio.to_thread(_import, LATER)


def _import(names: tuple[str, ...]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):  # whoever needs it will say so
            importlib.import_module(name)
