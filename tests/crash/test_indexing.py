"""Indexing of a folder that is killed: what was read stays, and the next run reads the rest."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from services.search.documents import open_documents
from services.search.index_file import folder_key

FILES = 1_500
PROGRAM = """
import asyncio, sys
from pathlib import Path
from services.search.documents import open_documents
asyncio.run(open_documents(Path(sys.argv[1]), Path(sys.argv[2])))
"""


def read_so_far(home: Path, folder: Path) -> list[str]:
    """Return the paths of the files that the index holds; empty before it exists."""
    for file in (home / "documents").glob(f"{folder_key(folder)}.*.sqlite"):
        try:
            with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
                return [path for (path,) in database.execute("SELECT path FROM files")]
        except sqlite3.OperationalError:
            return []
    return []


def killed_while_reading(folder: Path, home: Path) -> list[str]:
    """Index a folder in a process that is killed when it has read the first files, and return their paths."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder), str(home)], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not read_so_far(home, folder) and time.monotonic() < until:
        time.sleep(0.01)
    process.kill()
    process.wait()
    return read_so_far(home, folder)


async def test_an_indexing_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, home = tmp_path / "log", tmp_path / "home"
    folder.mkdir()
    for number in range(FILES):
        text = f"# Cast {number}\n\n" + f"The line of cast {number} ran out before noon. " * 60
        (folder / f"cast-{number:04}.md").write_text(text)
    read = await asyncio.to_thread(killed_while_reading, folder, home)
    assert 0 < len(read) < FILES
    for path in read:  # another text behind the same size and time: whoever reads it again shows it
        file = folder / path
        status = file.stat()
        file.write_text(file.read_text().replace("noon", "dusk"))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    documents = await open_documents(folder, home)
    assert documents.count == FILES
    hits = await documents.search("ran out before dusk", 20, "words")
    assert hits
    assert not any("dusk" in hit.text for hit in hits)
