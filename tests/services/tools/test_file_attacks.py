"""Hostile paths and files: each is refused with a reason, and what lies outside of the folder is never read."""

import io
import os
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from schemas.context import RunContext
from services.run.errors import DocumentsError, FileError
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.files.file_types import MAX_BYTES
from services.search.folder_files import list_files
from services.search.providers import folders_of
from services.tools.file_reader import _walk, file_reader, open_file
from tests.conftest import SetEnvironment
from tests.services.tools.conftest import output

pytestmark = pytest.mark.long

SECRET = "the-secret-outside"


@pytest.fixture
def folder(tmp_path: Path, environment: SetEnvironment) -> Path:
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "papers-of-others").mkdir()
    (tmp_path / "papers-of-others" / "secret.txt").write_text(SECRET)
    inside = tmp_path / "papers"
    (inside / "sub").mkdir(parents=True)
    (inside / "note.txt").write_text("a note")
    (inside / ".env").write_text(SECRET)
    environment(LEADLINE_DOCS=str(inside))
    return inside


@pytest.fixture
def tool(run: Run, evidence: EvidenceStore) -> BaseTool:
    return file_reader(run, evidence)


PATHS = {
    "upwards": "../secret.txt",
    "upwards through a folder": "sub/../../secret.txt",
    "upwards behind the folder's name": "papers/../secret.txt",
    "upwards with backslashes": "..\\secret.txt",
    "upwards inside": "sub/../note.txt",
    "upwards, percent-encoded": "%2e%2e/secret.txt",
    "upwards, in wide characters": "．．/secret.txt",
    "a folder whose name begins alike": "papers-of-others/secret.txt",
    "absolute": "/etc/passwd",
    "absolute, of the process": "/proc/self/environ",
    "absolute, of the system": "/dev/zero",
    "home": "~/.ssh/id_rsa",
    "an address of a file": "file:///etc/passwd",
    "an address of the web": "http://127.0.0.1:9/x.csv",
    "a drive": "C:\\Windows\\..\\secret.txt",
    "NUL inside": "note.txt\x00.csv",
    "a line end inside": "note.txt\n/etc/passwd",
    "nothing": " ",
    "too long": "a/" * 600 + "x",
    "a name too long": "a" * 300,
    "a device by its name": "CON",
    "a device with an ending": "sub/nul.txt",
    "a serial port": "COM1.csv",
    "hidden": ".env",
    "in a hidden folder": ".git/config",
    "a folder": "sub",
    "the folder itself": ".",
    "below a file": "note.txt/secret.txt",
}


LINKS = {
    "to a file": ("link.txt", {"link.txt": "{outside}/secret.txt"}),
    "to a folder": ("outside/secret.txt", {"outside": "{outside}"}),
    "over links": ("sub/one", {"sub/one": "../two", "two": "../secret.txt"}),
    "in a circle": ("circle", {"circle": "circle"}),
    "to the environment": ("environ.txt", {"environ.txt": "/proc/self/environ"}),
    "to a device": ("zero.csv", {"zero.csv": "/dev/zero"}),
    "to a hidden file": ("plain.txt", {"plain.txt": ".env"}),
}
"""The path that is asked for, and where links lead."""
CONTENTS = {
    "no workbook": ("fake.xlsx", b"PK\x03\x04" + os.urandom(2_000)),
    "an old workbook": ("old.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)),
    "no PDF": ("fake.pdf", b"%PDF-1.7\n" + os.urandom(5_000)),
    "a program": ("binary.txt", b"\x7fELF\x00\x00" + os.urandom(5_000)),
    "nothing": ("empty.csv", b"\n \n"),
}


async def refuses(tool: BaseTool, path: str, folder: Path) -> None:
    with pytest.raises(FileError) as caught:
        await tool.ainvoke({"path": path})
    assert SECRET not in str(caught.value)
    assert str(folder.parent) not in str(caught.value)


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
async def test_a_hostile_path_is_refused(path: str, folder: Path, tool: BaseTool) -> None:
    await refuses(tool, path, folder)


@pytest.mark.parametrize(("path", "links"), LINKS.values(), ids=LINKS)
async def test_a_hostile_link_is_refused(path: str, links: dict[str, str], folder: Path, tool: BaseTool) -> None:
    for name, target in links.items():
        (folder / name).symlink_to(target.format(outside=folder.parent))
    await refuses(tool, path, folder)


@pytest.mark.parametrize(("name", "content"), CONTENTS.values(), ids=CONTENTS)
async def test_a_hostile_content_is_refused(name: str, content: bytes, folder: Path, tool: BaseTool) -> None:
    (folder / name).write_bytes(content)
    await refuses(tool, name, folder)


def _pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe.csv")
    return "pipe.csv"


def _socket(folder: Path) -> str:
    where = os.getcwd()  # noqa: PTH109 - the path of a socket must be short
    os.chdir(folder)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.csv")
    os.chdir(where)
    return "socket.csv"


def _huge(folder: Path) -> str:
    with (folder / "huge.csv").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    return "huge.csv"


def _packed(folder: Path, name: str, parts: dict[str, bytes]) -> str:
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, data in parts.items():
            archive.writestr(part, data)
    return name


def _bomb(folder: Path) -> str:
    with zipfile.ZipFile(folder / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("xl/x", "w") as part:
        for _ in range(301):
            part.write(bytes(1_000_000))
    return "bomb.xlsx"


def _bomb_that_lies(folder: Path) -> str:
    """Write a workbook whose table of contents claims that a large part is small."""
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(50_000_000))
    (folder / "lies.xlsx").write_bytes(inside.getvalue().replace((50_000_000).to_bytes(4, "little"), b"\x10\0\0\0"))
    return "lies.xlsx"


def _many_parts(folder: Path) -> str:
    return _packed(folder, "parts.xlsx", {f"xl/{place}": b"" for place in range(5_001)})


def _entities(folder: Path) -> str:
    """Write a workbook whose shared texts would grow to a billion letters."""
    import openpyxl

    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["a", "b"])
    book.save(folder / "plain.xlsx")
    with zipfile.ZipFile(folder / "plain.xlsx") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    parts["xl/sharedStrings.xml"] = (
        f'<!DOCTYPE x [<!ENTITY e0 "0123456789">{entities}]>'
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>&e9;</t></si></sst>'
    ).encode()
    return _packed(folder, "entities.xlsx", parts)


FILES = [_pipe, _socket, _huge, _bomb, _bomb_that_lies, _many_parts]


@pytest.mark.parametrize("make", [pytest.param(make, id=make.__name__.strip("_").replace("_", " ")) for make in FILES])
async def test_a_hostile_file_is_refused(make: Callable[[Path], str], folder: Path, tool: BaseTool) -> None:
    await refuses(tool, make(folder), folder)


async def test_texts_that_would_grow_without_end_are_left_out(folder: Path, tool: BaseTool) -> None:
    assert len((await output(tool, path=_entities(folder))).text) < 200


def test_a_link_put_in_after_the_look_is_not_followed(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "outside").symlink_to(folder.parent)
    for parts in (("link.txt",), ("outside", "secret.txt")):
        with pytest.raises(OSError):
            _walk(folder, parts)


def test_no_handle_stays_open(folder: Path) -> None:
    handles = Path("/proc/self/fd")
    if not handles.exists():
        pytest.skip("this system does not list open files")
    os.mkfifo(folder / "pipe")
    before = len(list(handles.iterdir()))
    for path in ("note.txt", "pipe", "sub", "nothing.txt") * 20:
        try:
            open_file(path, [folder])
        except FileError:
            continue
    assert len(list(handles.iterdir())) == before


async def test_a_folder_that_the_server_does_not_open_is_refused(folder: Path, evidence: EvidenceStore) -> None:
    run = Run(RunContext(documents=[str(folder.parent / "papers-of-others")]))
    with pytest.raises(DocumentsError):
        await file_reader(run, evidence).ainvoke({"path": "secret.txt"})


@pytest.mark.usefixtures("folder")
async def test_a_file_that_takes_too_long_is_left(tool: BaseTool, environment: SetEnvironment) -> None:
    environment(LEADLINE_FILE_SECONDS="0.000001")
    with pytest.raises(FileError, match="takes more than a file may"):
        await tool.ainvoke({"path": "note.txt"})


def test_what_leadline_keeps_of_others_is_not_opened_with_the_folder_around_it(
    folder: Path, environment: SetEnvironment
) -> None:
    kept = folder / "kept" / "threads" / "a-thread" / "attachments"
    kept.mkdir(parents=True)
    (kept / "secret.txt").write_text(SECRET)
    (folder / "link").symlink_to(kept)
    environment(LEADLINE_HOME=str(folder / "kept"))
    for named in (str(kept), "kept/threads", str(folder / "link"), "link"):
        with pytest.raises(DocumentsError, match="not open to this run"):
            folders_of(RunContext(documents=[named]))
    states, skipped = list_files(folder)
    assert [state.path for state in states] == ["note.txt"]
    assert "secret" not in str(skipped)
    for path in ("kept/threads/a-thread/attachments/secret.txt", "link/secret.txt"):
        with pytest.raises(FileError, match="no file") as refused:
            open_file(path, [folder])
        assert "kept" not in str(refused.value).removeprefix(f"There is no file '{path}'")
    assert open_file("secret.txt", [kept]).data == SECRET.encode()


@pytest.mark.parametrize("named", ["sub", "papers/sub", "nowhere", "../papers-of-others"])
def test_relative_folders_are_looked_for_below_the_open_ones(folder: Path, named: str) -> None:
    if named == "sub":
        assert folders_of(RunContext(documents=[named])) == [folder / "sub"]
        return
    with pytest.raises(DocumentsError, match="not open to this run"):
        folders_of(RunContext(documents=[named]))
