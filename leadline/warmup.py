"""What a run needs only later is imported while its first model call is under way, so that nobody waits for it."""

import asyncio
import contextlib
import importlib
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

LATER = ("numpy", "services.evidence.citations", "services.evidence.bundle")
"""Modules that searching and reporting import when they begin."""


class WarmUp(BaseCallbackHandler):
    """A callback handler that imports `LATER` in a thread as soon as the first model call goes out."""

    run_inline = True
    """Called at once, in the event loop: nothing of the run's order changes."""

    def __init__(self) -> None:
        self._importing: asyncio.Task[None] | None = None

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        """Start importing, once."""
        if self._importing is None:
            self._importing = asyncio.create_task(asyncio.to_thread(_import_all))

    async def finish(self) -> None:
        """Wait until the imports are through, as a thread that still imports would delay the end of the process."""
        if self._importing is not None:
            await self._importing


def _import_all() -> None:
    for name in LATER:
        with contextlib.suppress(ImportError):  # whoever needs it will say so
            importlib.import_module(name)
