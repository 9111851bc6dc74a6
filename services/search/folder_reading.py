"""Reads the new files of a folder into its index: cheap kinds first, conversions side by side, within a time limit.

A file that takes long in its first attempt is tried again when all others have been read, so that it holds up none of them. First
attempts get shorter as they come to nothing, and second attempts end when a few in a row did: a run does not wait for a folder of
hostile files. Those that are left count as beyond the limits of a file for the rest of the day, so that the next run does not wait either.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from weakref import WeakKeyDictionary

from schemas.events import ReadingProgress
from services.run.scope import current_run
from services.sandbox.slots import Slots
from services.search.files.converters import CONVERSIONS, PLAIN_CONVERSIONS, Converters, beyond_limits, left_today
from services.search.files.file_types import CONVERTED, TABLES, Converted, FileState
from services.search.index import FolderIndex

FIRST_REPORT = 0.5
"""Seconds after which the first progress is told; an opening with nothing to read ends before."""
REPORT_EVERY = 2.0
"""Seconds between two tellings."""

FIRST_SECONDS = 5.0
"""Seconds of a file's first attempt while others wait; most files take less than one."""
SHORTEST_SECONDS = 1.0
"""Seconds of a first attempt at least, after many that came to nothing."""
MAX_IN_VAIN = 2
"""Second attempts in a row that come to nothing, after which the other slow files are left."""
TURN_SECONDS = 10.0
"""Seconds after which a folder gives its slot to another research that waits; starting a converter again takes two."""
SIDE_BY_SIDE = 2
"""Conversions of one folder that run at once, if slots are free."""
FEW = 20
"""Plain files that one process reads sooner than a second one starts."""


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

    def count_passages(self, count: int) -> None:
        """Count embedded passages."""
        self.passages_done += count

    def begin(self) -> None:
        """Forget how far an earlier opening came."""
        self.files = self.files_done = self.slow = self.passages = self.passages_done = 0


_openings: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Opening]] = WeakKeyDictionary()


def opening_of(folder: Path) -> Opening:
    """Return the opening of a folder in the running event loop."""
    return _openings.setdefault(asyncio.get_running_loop(), {}).setdefault(str(folder), Opening())


@asynccontextmanager
async def progress_emitted(folders: Iterable[Path]) -> AsyncIterator[None]:
    """Emit the progress of opening the folders every few seconds while the block runs."""
    openings = [opening_of(folder) for folder in folders]
    run = current_run()

    async def emit_progress() -> None:
        await asyncio.sleep(FIRST_REPORT)
        while True:
            run.emit_reading(_progress(openings))
            await asyncio.sleep(REPORT_EVERY)

    task = asyncio.create_task(emit_progress())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _progress(openings: list[Opening]) -> ReadingProgress:
    """Return the joint progress of several folders: their files, and when all of these are read, their passages."""
    files, done = sum(opening.files for opening in openings), sum(opening.files_done for opening in openings)
    passages = sum(opening.passages for opening in openings)
    if passages and done >= files:
        return ReadingProgress(of="passages", done=sum(opening.passages_done for opening in openings), total=passages)
    return ReadingProgress(of="files", done=done, total=files, slow=sum(opening.slow for opening in openings))


class FolderReading:
    """One pass over the new files of a folder."""

    def __init__(self, folder: Path, index: FolderIndex, until: float, opening: Opening) -> None:
        """Begin to read until a time on the monotonic clock; `opening` counts what is read."""
        self.problem = ""
        """Reason why the processes were not confined; empty if they were, or if none was started."""
        self._folder, self._index, self._until, self._opening = folder, index, until, opening

    async def add(self, states: Iterable[FileState]) -> list[str]:
        """Convert files and add them to the index.

        Returns:
            Paths of the files for which the time was over, sorted; without those that are beyond the limits of a file.
        """
        unread = {state.path for state in states}
        slow: list[FileState] = []
        in_vain = 0
        writing = asyncio.Lock()  # SQLite lets one write at a time, and others look again and again
        over = threading.Event()  # ends the thread that adds a file, which outlives the task that waits for it

        async def keep(state: FileState, converted: Converted) -> None:
            async with writing:
                await asyncio.to_thread(self._index.add, state, converted, over.is_set)
            unread.discard(state.path)
            self._opening.files_done += 1

        async def first(converters: Converters, state: FileState) -> None:
            nonlocal in_vain
            seconds = max(SHORTEST_SECONDS, FIRST_SECONDS / (1 + in_vain))
            bounded = len(unread) > 1 and seconds < converters.seconds
            converted = await converters.convert(self._folder / state.path, seconds if bounded else None)
            in_vain = in_vain + 1 if converted is None else 0
            if converted is not None:
                await keep(state, converted)
            else:
                slow.append(state)
                self._opening.slow += 1

        async def again(converters: Converters, state: FileState) -> None:
            nonlocal in_vain
            converted: Converted = {"error": left_today()}
            if in_vain < MAX_IN_VAIN:
                converted = await converters.convert(self._folder / state.path) or {"error": beyond_limits()}
                in_vain = in_vain + 1 if converted.get("error") == beyond_limits() else 0
            await keep(state, converted)

        try:
            async with asyncio.timeout(max(0.0, self._until - time.monotonic())):
                await self._each(sorted(states, key=_cheapest_first), first)
                in_vain = 0
                await self._each(slow, again)
        except TimeoutError:
            pass
        finally:
            over.set()
        return sorted(unread)

    async def _each(self, states: Iterable[FileState], act: Callable[[Converters, FileState], Awaitable[None]]) -> None:
        plain: deque[FileState] = deque()
        others: deque[FileState] = deque()
        for state in states:
            (others if PurePath(state.path).suffix.lower() in CONVERTED else plain).append(state)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(1 if len(plain) <= FEW else SIDE_BY_SIDE):
                    group.create_task(self._work(plain, PLAIN_CONVERSIONS, act))
                for _ in range(SIDE_BY_SIDE):
                    group.create_task(self._work(others, CONVERSIONS, act))
        except ExceptionGroup as failed:  # whoever opens the folder handles errors of the index by their class
            raise failed.exceptions[0] from None

    async def _work(
        self, states: deque[FileState], slots: Slots, act: Callable[[Converters, FileState], Awaitable[None]]
    ) -> None:
        """Take files from a queue until it is empty. Processes live only while a slot is held, and so are bounded with the slots."""
        while states:
            async with slots.held(), Converters() as converters:
                turn_ends = time.monotonic() + TURN_SECONDS
                while states and (time.monotonic() < turn_ends or not slots.wanted):
                    await act(converters, states.popleft())
                self.problem = self.problem or converters.problem


def _cheapest_first(state: FileState) -> tuple[bool, bool, int, str]:
    suffix = PurePath(state.path).suffix.lower()
    return suffix == ".pdf", suffix in TABLES, state.size, state.path
