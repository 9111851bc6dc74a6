"""What a run needs only later is got ready while model calls are under way, so that nobody waits for it.

First what is needed soonest: the search, and what makes the planner's call. What the later nodes need follows, while a call
is waited for: between calls the run itself needs the interpreter.
"""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from prompts import compile_template

SOON = ("numpy", "services.search.gather", "services.search.hybrid", "services.tools.mcp.listing")
"""Modules that the search and the planner import when they begin."""
LATER = (
    *SOON,
    "services.evidence.quoted",
    "services.evidence.contradictions",
    "services.evidence.meaning",
    "services.reports.markdown",
    "services.reports.charts.fences",
    "services.reports.inlines",
    "services.evidence.citations",
    "services.evidence.bundle",
    "services.tools.mcp.registry",
    "yaml",
)
"""Modules that all nodes import when they begin, in the order in which they are needed."""
AFTER = 0.05
"""Seconds of a call after which getting ready goes on: until then the call is made ready to be sent, and needs the interpreter."""


class WarmUp(BaseCallbackHandler):
    """A callback handler that gets things ready while model calls are under way."""

    run_inline = True
    """Called at once, in the event loop: nothing of the run's order changes."""

    def __init__(self, *work: Callable[[], Awaitable[None]]) -> None:
        """Take what is to be done during the first call besides imports; whatever goes wrong there is left to whoever needs it."""
        self._work = work
        self._task: asyncio.Task[None] | None = None
        self._calls = 0
        self._waited_for = asyncio.Event()
        """Set while a call is under way, and when all is over."""
        self._over = False

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Begin with the first call, and go on with each."""
        self._calls += 1
        asyncio.get_running_loop().call_later(AFTER, self._go_on)
        if self._task is None:
            self._task = asyncio.create_task(self._get_ready())

    def on_llm_end(self, *_: Any, **__: Any) -> None:
        """Pause when no call is under way."""
        self._calls -= 1
        if not self._calls:
            self._waited_for.clear()

    def on_llm_error(self, *_: Any, **__: Any) -> None:
        """Pause when no call is under way."""
        self.on_llm_end()

    def _go_on(self) -> None:
        if self._calls:
            self._waited_for.set()

    async def _get_ready(self) -> None:
        await asyncio.sleep(AFTER)
        await asyncio.gather(*map(_quietly, (*self._work, _soon)))
        await _quietly(self._later)

    async def _later(self) -> None:
        """Do what later nodes need, piece by piece."""
        for piece in _pieces():
            await self._waited_for.wait()
            if self._over:
                return
            with contextlib.suppress(ImportError):  # whoever needs it will say so
                piece()
            await asyncio.sleep(0)

    async def ready(self) -> None:
        """Wait for the end of it, for which calls must be under way."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def end(self) -> None:
        """Wait for what has begun, as a thread that still works would delay the end of the process; leave off the rest."""
        self._over = True
        self._waited_for.set()
        await self.ready()

    def stop(self) -> None:
        """Leave off."""
        if self._task is not None:
            self._task.cancel()


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


async def _soon() -> None:
    """Get the search and the planner's call ready."""
    from schemas.planner import Plan
    from services.models.dialects import shape_of

    for name in SOON:
        await asyncio.sleep(0)
        with contextlib.suppress(ImportError):
            _import(name)
    shape_of(Plan)
    compile_template("planner")


def _pieces() -> Iterator[Callable[[], object]]:
    """Return what gets everything else ready, each piece short enough for the event loop to wait for."""
    from schemas.reflector import Reflection
    from schemas.researcher import Findings
    from services.models.dialects import shape_of

    yield from (partial(_import, name) for name in LATER)
    yield from (partial(shape_of, answer) for answer in (Findings, Reflection))
    yield from (partial(compile_template, role) for role in ("researcher", "reflector", "reporter"))


def _import(name: str) -> None:
    """Import a module.

    Not in a thread: where two threads import modules that import each other, Python gives one of them half a module.
    """
    importlib.import_module(name)
