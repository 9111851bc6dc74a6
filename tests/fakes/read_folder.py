"""Folders that are read before a run: their index is made once a test process for each content, and copied into a test's home."""

import asyncio
import atexit
import hashlib
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from services.run.settings import forget_settings
from services.sandbox.workfolder import hold
from services.search.documents import open_documents
from services.search.index_file import folder_key

EXAMPLES = Path(__file__).parents[2] / "examples"

CHANGED = 1_700_000_000_000_000_000
"""Time of the last change of the files, in nanoseconds: with another, they would be read again."""


def filled(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Make a folder of files by their names, in which slashes stand for folders, and return it."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def written(folder: Path, texts: Mapping[str, str]) -> Path:
    """Make a folder of documents, each a text below its title, and return it."""
    return filled(folder, {f"{title}.md": f"# {title}\n\n{text}\n" for title, text in texts.items()})


def read_before(folder: Path) -> Path:
    """Give the home of the test an index of a folder of plain text files, and return the folder.

    Reading starts processes, which takes most of the time of a small run. Tests of reading itself do without this.
    """
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        os.utime(file, ns=(CHANGED, CHANGED))
        digest.update(f"{file.relative_to(folder)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    if digest.hexdigest() not in _indexes:
        with ThreadPoolExecutor(1) as thread:  # a test's own event loop may be running
            thread.submit(asyncio.run, _read(folder, _homes() / digest.hexdigest())).result()
        _indexes[digest.hexdigest()] = folder_key(folder)
    home = Path(os.environ["LEADLINE_HOME"]) / "documents"
    for part in (home.parent, home):
        part.mkdir(0o700, exist_ok=True)
    made_as = _indexes[digest.hexdigest()]
    for file in (_homes() / digest.hexdigest() / "documents").glob(f"{made_as}.*[!m]"):  # without shared memory (-shm)
        shutil.copy2(file, home / file.name.replace(made_as, folder_key(folder)))
    return folder


def read_once(folder: Path) -> Path:
    """Read a folder for all tests of a module, with the settings that tests have, and return it; its home lies beside it."""
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv("LEADLINE_EMBEDDINGS_MODEL", "none")
        forget_settings()
        asyncio.run(_read(folder, folder.parent / "home"))
    return folder


def examples_read(shared: Path) -> Path:
    """Return the indexes of the examples, as a home has them in `documents`: the first test process that wants them reads for all.

    Args:
        shared: a folder that all test processes know.
    """
    home = shared / "home-of-examples"
    with FileLock(f"{home}.lock"):
        if not home.exists():
            for name in ("deep-sea", "myopia"):
                with ThreadPoolExecutor(1) as thread:
                    thread.submit(asyncio.run, _read(EXAMPLES / name, home)).result()
    return home / "documents"


async def _read(folder: Path, home: Path) -> None:
    await open_documents(folder, home)
    forget_settings()  # the test has still to set its own


_indexes: dict[str, str] = {}
"""Keys of the folders that were read, by the hash of their content."""


@cache
def _homes() -> Path:
    held = hold()  # what a killed process leaves is removed by the next one
    atexit.register(held.release)
    return held.folder
