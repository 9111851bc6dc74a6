"""The opening of folders as all tasks of an event loop share it: one task reads a folder, and each that waits tells how far it is."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakKeyDictionary

from schemas.events import ReadingProgress
from services.run.scope import current_run

FIRST_TOLD = 0.5
"""Seconds after which the first progress is told; an opening with nothing to read ends before."""
TOLD_EVERY = 2.0
"""Seconds between two tellings."""


@dataclass(slots=True, eq=False)
class Opening:
    """One folder's opening: how far it is, and the lock of whoever reads it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by one task, so that two do not convert the same files."""
    files: int = 0
    """Number of searchable files; 0 before they are listed."""
    files_done: int = 0
    """Number of files that are read, or known to be unreadable."""
    slow: int = 0
    """Number of files that took too long in their first attempt."""
    passages: int = 0
    """Number of passages to embed by the present model; 0 before that begins."""
    passages_done: int = 0

    def begin(self) -> None:
        """Forget how far an earlier opening came."""
        self.files = self.files_done = self.slow = self.passages = self.passages_done = 0


_openings: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Opening]] = WeakKeyDictionary()


def opening_of(folder: Path) -> Opening:
    """Return the opening of a folder in the running event loop."""
    return _openings.setdefault(asyncio.get_running_loop(), {}).setdefault(str(folder), Opening())


@asynccontextmanager
async def progress_told(folders: Iterable[Path]) -> AsyncIterator[None]:
    """Tell the current run every few seconds how far the opening of its folders is, while the block runs."""
    openings = [opening_of(folder) for folder in folders]
    run = current_run()

    async def tell() -> None:
        await asyncio.sleep(FIRST_TOLD)
        while True:
            run.tell_reading(_progress(openings))
            await asyncio.sleep(TOLD_EVERY)

    task = asyncio.create_task(tell())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _progress(openings: list[Opening]) -> ReadingProgress:
    """Return how far several folders are: their files, and when all of them are done, their passages."""
    files, done = sum(one.files for one in openings), sum(one.files_done for one in openings)
    passages = sum(one.passages for one in openings)
    if passages and done >= files:
        return ReadingProgress(of="passages", done=sum(one.passages_done for one in openings), total=passages)
    return ReadingProgress(of="files", done=done, total=files, slow=sum(one.slow for one in openings))
