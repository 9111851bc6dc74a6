"""The index of a folder where the disk is full: the file is named with what to do, and with room the folder is read."""

from pathlib import Path

import pytest

from services.run.errors import StoreUnwritable
from services.search.documents import open_documents
from tests.crash.disk import Disk, small_disk

ROOM = 200_000
"""Bytes in which an index can be begun, and not finished."""


def folder_of(path: Path) -> Path:
    folder = path / "papers"
    folder.mkdir()
    for number in range(20):
        words = "".join(
            f"Sounding {number}-{line} found {line * 7} fathoms and a bottom of sand.\n\n" for line in range(400)
        )
        (folder / f"{number}.md").write_text(f"# Soundings {number}\n\n{words}")
    return folder


def leave(disk: Disk, room: int) -> None:
    """Fill the disk but for so many bytes."""
    disk.fill()
    ballast = disk.folder / "ballast"
    with ballast.open("r+b") as file:
        file.truncate(ballast.stat().st_size - room)


@pytest.mark.parametrize("room", [0, 16_384, ROOM])
async def test_a_full_disk_is_named_with_what_to_do_and_with_room_the_folder_is_read(tmp_path: Path, room: int) -> None:
    folder = folder_of(tmp_path)
    with small_disk(tmp_path / "disk") as disk:
        home = disk.folder / "home"
        leave(disk, room)
        with pytest.raises(StoreUnwritable, match=r"cannot be written \(.+\)\. Make room on its disk"):
            await open_documents(folder, home)
        disk.empty()
        documents = await open_documents(folder, home)
        assert not documents.unread
        assert not documents.unreadable
