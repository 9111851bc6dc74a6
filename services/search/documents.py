"""The user's documents: folders, converted and indexed once, searched as a provider."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from services.errors import DocumentsError
from services.search.convert import SUFFIXES, Converted
from services.search.hit import Hit
from services.search.index import FileState, FolderIndex
from services.search.table_profiles import profiled
from services.search.tables import SUFFIXES as TABLES
from services.search.tables import Table
from services.settings import PROJECT_ROOT

SECONDS_A_FILE = 60.0
MAX_FILES = 20_000


class Documents:
    """One indexed folder."""

    name = "documents"

    def __init__(self, index: FolderIndex, skipped: list[tuple[str, str]], tables: list[Table], count: int) -> None:
        self._index = index
        self.skipped = skipped
        """(path below the folder, reason) of files that are not searched."""
        self.tables = tables
        self.count = count
        """Files that are searched."""

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return the sources of the best passages, best first."""
        return await asyncio.to_thread(self._index.search, query, limit)

    async def titles(self) -> list[tuple[str, str]]:
        """Return (content hash, title) of every source."""
        return await asyncio.to_thread(self._index.titles)

    async def hit(self, content_hash: str) -> Hit:
        """Return one source by its hash."""
        return await asyncio.to_thread(self._index.hit, content_hash)


async def open_documents(folder: Path, home: Path) -> Documents:
    """Bring the index of a folder up to date and open it.

    Args:
        folder: searched with its subfolders; hidden files and folders, and links that lead out of it, are left alone.
        home: folder below which the index is kept.

    Raises:
        DocumentsError: the folder is missing or holds nothing that can be searched.
    """
    states, unsupported = await asyncio.to_thread(_list, folder)
    index = await asyncio.to_thread(FolderIndex, folder, home)
    stale = await asyncio.to_thread(index.stale, states)
    async for state, converted in _converted(folder, stale):
        await asyncio.to_thread(index.add, state, converted)
    count = await asyncio.to_thread(index.count)
    skipped = sorted([*unsupported, *await asyncio.to_thread(index.skipped)])
    if not count:
        reasons = "; ".join(f"{path} {reason}" for path, reason in skipped[:3])
        raise DocumentsError(
            f"{folder} holds no documents that can be read{f' ({reasons})' if reasons else ''}. "
            f"Put files there that end in {', '.join(sorted(SUFFIXES))}, or name another folder with --docs."
        )
    tabular = [state for state in states if Path(state.path).suffix.lower() in TABLES]
    tables = await asyncio.to_thread(profiled, folder, tabular, home)
    return Documents(index, skipped, tables, count)


def _list(folder: Path) -> tuple[list[FileState], list[tuple[str, str]]]:
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.exists() else "does not exist"
        raise DocumentsError(f"The documents folder {folder} {what}. Name an existing folder with --docs.")
    root = folder.resolve()
    states: list[FileState] = []
    skipped: list[tuple[str, str]] = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in path.relative_to(folder).parts) or path.is_dir():
            continue
        if not path.resolve().is_relative_to(root):
            skipped.append((relative, "leads out of the folder"))
        elif not path.is_file():
            skipped.append((relative, "is no regular file"))
        elif path.suffix.lower() not in SUFFIXES:
            skipped.append((relative, "is of a kind that is not read"))
        elif len(states) >= MAX_FILES:
            skipped.append((relative, f"is beyond the first {MAX_FILES:,} files"))
        else:
            stat = path.stat()
            states.append(FileState(relative, stat.st_size, stat.st_mtime_ns))
    return states, skipped


async def _converted(folder: Path, stale: Sequence[FileState]) -> AsyncIterator[tuple[FileState, Converted]]:
    """Convert files in a child process; one that takes too long or kills the child is skipped and the rest goes on."""
    waiting = list(stale)
    while waiting:
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "services.search.convert",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            cwd=PROJECT_ROOT, limit=200_000_000,
        )  # fmt: skip
        assert child.stdin is not None and child.stdout is not None  # noqa: S101, PT018 - both are pipes, as asked for
        try:
            while waiting:
                state = waiting.pop(0)
                child.stdin.write(f"{(folder / state.path).resolve()}\n".encode())
                converted = await _answer(child.stdout)
                yield state, converted or {"error": "could not be converted: the converter ended or took too long"}
                if converted is None:
                    break
        finally:
            child.stdin.close()
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()


async def _answer(stream: asyncio.StreamReader) -> Converted | None:
    try:
        async with asyncio.timeout(SECONDS_A_FILE):
            line = await stream.readline()
    except TimeoutError:
        return None
    answer: Converted | None = json.loads(line) if line else None
    return answer
