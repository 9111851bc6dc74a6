"""Reads the new files of a folder into its index: cheap kinds first, conversions side by side, within a time limit.

A file that takes long in its first attempt is tried again when all others have been read, so that it holds up none of them.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TypeVar

from services.sandbox.slots import Slots
from services.search.converters import CONVERSIONS, PLAIN_CONVERSIONS, Converters
from services.search.file_types import PLAIN
from services.search.index import FileState, FolderIndex
from services.search.tables import SUFFIXES as TABLES

FIRST_SECONDS = 5.0
"""Seconds of a file's first attempt while others wait; most files take less than one."""
TURN_SECONDS = 10.0
"""Seconds after which a folder gives its slot to another research that waits; starting a converter again takes two."""
SIDE_BY_SIDE = 2
"""Conversions of one folder that run at once, if slots are free."""

Item = TypeVar("Item")


class Reading:
    """One pass over the new files of a folder."""

    def __init__(self, folder: Path, index: FolderIndex, until: float) -> None:
        """Create it.

        Args:
            folder: the folder of the files.
            index: its index.
            until: time on the monotonic clock at which reading ends.
        """
        self.problem = ""
        """Reason why the processes were not confined; empty if they were, or if none was started."""
        self._folder, self._index, self._until = folder, index, until

    async def add(self, states: Iterable[FileState]) -> list[str]:
        """Convert files and add them to the index.

        Returns:
            Paths of the files that were not read in time, sorted.
        """
        unread = {state.path for state in states}
        slow: list[FileState] = []

        async def add(converters: Converters, state: FileState, *, first: bool) -> None:
            seconds = min(FIRST_SECONDS, converters.seconds) if first else None
            converted = await converters.convert(self._folder / state.path, seconds)
            if converted is None:
                slow.append(state)
                return
            await asyncio.to_thread(self._index.add, state, converted)
            unread.discard(state.path)

        async def first(converters: Converters, state: FileState) -> None:
            await add(converters, state, first=len(unread) > 1)

        async def again(converters: Converters, state: FileState) -> None:
            await add(converters, state, first=False)

        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, self._until - time.monotonic())):
                await self._each(sorted(states, key=_cheapest_first), first)
                await self._each(slow, again)
        return sorted(unread)

    async def tables(
        self, states: Sequence[FileState], profile: Callable[[Converters, str], Awaitable[Item]]
    ) -> dict[str, Item]:
        """Profile the tables of files; files that were not read in time are missing in the result."""
        found: dict[str, Item] = {}

        async def keep(converters: Converters, state: FileState) -> None:
            found[state.path] = await profile(converters, state.path)

        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, self._until - time.monotonic())):
                await self._each(states, keep)
        return found

    async def _each(self, states: Iterable[FileState], act: Callable[[Converters, FileState], Awaitable[None]]) -> None:
        """Do something with each file; plain text beside all others."""
        plain: deque[FileState] = deque()
        others: deque[FileState] = deque()
        for state in states:
            (plain if _is_plain(state) else others).append(state)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._work(plain, PLAIN_CONVERSIONS, act))
            for _ in range(SIDE_BY_SIDE):
                group.create_task(self._work(others, CONVERSIONS, act))

    async def _work(
        self, states: deque[FileState], slots: Slots, act: Callable[[Converters, FileState], Awaitable[None]]
    ) -> None:
        """Take files from a queue until it is empty. Processes live only while a slot is held, and so are bounded with the slots."""
        while states:
            async with slots.held(), Converters() as converters:
                turn_ends = time.monotonic() + TURN_SECONDS
                while states and time.monotonic() < turn_ends:
                    await act(converters, states.popleft())
                self.problem = self.problem or converters.problem


def _is_plain(state: FileState) -> bool:
    return PurePath(state.path).suffix.lower() in PLAIN


def _cheapest_first(state: FileState) -> tuple[bool, bool, int, str]:
    return (
        PurePath(state.path).suffix.lower() == ".pdf",
        PurePath(state.path).suffix.lower() in TABLES,
        state.size,
        state.path,
    )
