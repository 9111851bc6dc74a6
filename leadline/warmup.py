"""What a run needs only later is got ready while its first model call is under way, so that nobody waits for it.

First what is needed soonest: the search, and what makes the planner's call. What the later nodes need follows.
"""

import asyncio
import contextlib
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from prompts import compile_template

SOON = ("genai_prices.data", "numpy", "services.search.gather", "services.search.hybrid", "services.tools.mcp.listing")
"""Modules that are imported when the first call is paid, and when the search and the planner begin."""
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
)
"""Modules that all nodes import when they begin, in the order in which they are needed."""
AFTER = 0.05
"""Seconds after which getting ready begins: until then the call itself is made ready to be sent, and needs the interpreter."""


class WarmUp(BaseCallbackHandler):
    """A callback handler that gets things ready as soon as the first model call goes out."""

    run_inline = True
    """Called at once, in the event loop: nothing of the run's order changes."""

    def __init__(self, *work: Callable[[], Awaitable[None]]) -> None:
        """Take what is to be done besides importing `LATER`; whatever goes wrong there is left to whoever needs it."""
        self._work = work
        self._task: asyncio.Task[None] | None = None

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Begin, once."""
        if self._task is None:
            self._task = asyncio.create_task(self._get_ready())

    async def _get_ready(self) -> None:
        await asyncio.sleep(AFTER)
        await asyncio.gather(_quietly(_soon), *map(_quietly, self._work))
        await _quietly(_later)

    async def end(self) -> None:
        """Wait for the end of it, as a thread that still imports would delay the end of the process."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

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

    await _import(SOON)
    shape_of(Plan)
    compile_template("planner")


async def _later() -> None:
    """Get everything else ready."""
    from schemas.reflector import Reflection
    from schemas.researcher import Findings
    from services.models.dialects import shape_of

    await _import(LATER)
    for answer in (Findings, Reflection):
        shape_of(answer)
    for role in ("researcher", "reflector", "reporter"):
        await asyncio.sleep(0)
        compile_template(role)


async def _import(names: tuple[str, ...]) -> None:
    """Import modules between other work of the event loop.

    Not in a thread: where two threads import modules that import each other, Python gives one of them half a module.
    """
    for name in names:
        await asyncio.sleep(0)
        with contextlib.suppress(ImportError):  # whoever needs it will say so
            importlib.import_module(name)
