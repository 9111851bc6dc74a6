"""A folder of real files of every kind: converted apart, indexed once, kept up to date."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from services.run.errors import DocumentsError
from services.search.documents import open_documents
from services.search.files.converters import Converters
from services.search.files.file_types import Converted
from services.search.files_read import file_messages, files_read
from services.search.providers import Providers
from tests.fakes.read_folder import filled, written


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "index"


async def test_what_cannot_be_read_is_named_and_the_rest_is_searched(docs: Path, home: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of the sort")
    (docs / "binary.md").write_bytes(bytes(range(256)) * 8)
    (docs / "empty.md").write_text(" \n")
    (docs / "fake.docx").write_text("no archive")
    (docs / "film.mp4").write_bytes(b"....")
    for name in ("mail.msg", "book.xls", "text.odt", "cells.ipynb"):
        (docs / name).write_bytes(b"nothing of the sort")
    (docs.parent / "secret.md").write_text("# Secret")
    (docs / "link.md").symlink_to(docs.parent / "secret.md")
    (docs / "nowhere.md").symlink_to("none.md")
    os.mkfifo(docs / "pipe.txt")
    (docs / os.fsdecode(b"bad\xff.txt")).write_text("Kept.")
    for name in ("empty.pdf", "empty.txt"):
        (docs / name).touch()
    documents = await open_documents(docs, home)
    assert sorted(file_messages(files_read([documents]), "en-US")) == [
        "Files of unsupported types were not read (1 in all): .mp4 (1).",
        "bad.txt was not searched: it has a name that is not in UTF-8.",
        "binary.md, book.xls, broken.pdf, cells.ipynb, fake.docx, mail.msg, text.odt were not searched: "
        "each is damaged, protected by a password, or not of the kind that its name says.",
        "empty.pdf was not searched: it is empty.",
        "link.md was not searched: it is a link that leads out of the folder.",
        "nowhere.md was not searched: it is a link that leads nowhere.",
        "pipe.txt was not searched: it is not a regular file.",
    ]
    chinese = "".join(file_messages(files_read([documents]), "zh-CN"))
    assert not re.findall(r"[a-z]{4,}", re.sub(r"\w+\.\w+", "", chinese))
    assert (documents.count, documents.other_kinds) == (5, {".mp4": 1})
    assert not await documents.search("secret", 5)


async def test_a_file_whose_name_tells_no_kind_is_read_where_it_is_text(docs: Path, home: Path) -> None:
    (docs / "README").write_text("Keep the tallow dry, 航海日志.")
    (docs / "manual.hemp").write_text("Hemp\nSteamers coiled bitumen cordage.")
    (docs / "plan.svg").write_text("<svg><text>tallow</text></svg>")
    (docs / "server.key").write_text("-----BEGIN RSA PRIVATE KEY-----\ntallow")
    (docs / "prod.env").write_text("TALLOW_KEY=dry")
    (docs / "core").write_bytes(b"\x7fELF\0\0tallow")
    (docs / "latin").write_bytes("tallow für".encode("latin-1"))
    documents = await open_documents(docs, home)
    assert documents.other_kinds == {"": 2, ".svg": 1, ".key": 1, ".env": 1}
    [hit] = await documents.search("tallow dry", 1)
    assert hit.title == "README"
    [hit] = await documents.search("steamers coiled bitumen cordage", 1)
    assert hit.url.endswith("manual.hemp")


async def test_a_file_whose_name_tells_no_kind_is_opened_again_only_if_it_changed(docs: Path, home: Path) -> None:
    (docs / "core").write_bytes(b"\x7fELF\0")
    (docs / "README").write_text("Keep the tallow dry.")
    times = (docs / "core").stat()
    assert (await open_documents(docs, home)).other_kinds == {"": 1}
    (docs / "core").write_bytes(b"hemp.")  # as long, and put back in time: only who opens it sees that
    os.utime(docs / "core", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (await open_documents(docs, home)).other_kinds == {"": 1}
    (docs / "core").write_bytes(b"hemp.")
    (docs / "README").unlink()
    documents = await open_documents(docs, home)
    assert documents.other_kinds == {}
    assert {state.path: is_text for state, is_text in documents.index.kinds().items()} == {"core": True}


async def test_files_in_old_encodings_are_found_and_the_guess_is_noted(tmp_path: Path, home: Path) -> None:
    texts = (
        ("koeln.txt", "Die Müllabfuhr in Köln begann im März 1895 mit dreißig Wagen.", "latin-1"),
        ("busan.txt", "부산항은 1876년에 문을 열었다. 부두 공사는 십 년이 걸렸다.", "euc_kr"),
        ("shanghai.txt", "近视的患病率在十年间上升，户外活动可以减少近视的发生。", "gb18030"),
        ("bonn.txt", "Die Brücke in Bonn wurde 1898 eröffnet.", "utf-8"),
    )
    files = {name: text.encode(encoding) for name, text, encoding in texts}
    documents = await open_documents(filled(tmp_path / "old", files), home)
    assert documents.notes == {
        "encoding:cp1252": ["koeln.txt"],
        "encoding:cp949": ["busan.txt"],
        "encoding:gb18030": ["shanghai.txt"],
    }
    for query, path in (("Müllabfuhr Köln", "koeln.txt"), ("부두 공사", "busan.txt"), ("户外活动", "shanghai.txt")):
        assert (await documents.search(query, 1))[0].url == f"old/{path}"
    notes = Providers(documents=[documents]).notices("en")
    assert (
        "These files do not state their encoding, which was guessed: busan.txt (cp949), koeln.txt (cp1252), shanghai.txt (gb18030)."
        in notes
    )


async def test_an_unchanged_folder_starts_no_converter(docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await open_documents(docs, home)

    async def refused(*_: object, **__: object) -> None:
        pytest.fail("a converter was started")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refused)
    assert (await open_documents(docs, home)).count == 5


async def test_a_folder_that_is_missing_or_empty_says_what_to_do(tmp_path: Path, home: Path) -> None:
    with pytest.raises(DocumentsError, match="of this run does not exist"):
        await open_documents(tmp_path / "nowhere", home)
    (tmp_path / "void").mkdir()
    with pytest.raises(DocumentsError, match=r"holds no documents.*`docs`"):
        await open_documents(tmp_path / "void", home)


@pytest.mark.long
def test_two_processes_can_index_one_folder_at_once(docs: Path, home: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from services.search.documents import open_documents; "
        "print(asyncio.run(open_documents(Path(sys.argv[1]), Path(sys.argv[2]))).count)"
    )
    command = [sys.executable, "-c", program, str(docs), str(home)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=60)[0].strip() for process in running] == ["5", "5"]


async def test_a_changed_a_moved_and_a_deleted_file_are_seen_and_no_other_is_read(
    docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await open_documents(docs, home)
    (docs / "tallow.md").write_text("# Soap\n\nSoap replaced it on the Porcupine.\n")
    (docs / "thomson.md").unlink()
    (docs / "new").mkdir()
    moved = docs / "machine.md"
    moved.rename(docs / "new" / moved.name)
    read: list[str] = []
    convert = Converters.convert

    async def counted(self: Converters, path: Path, seconds: float | None = None) -> Converted | None:
        read.append(path.relative_to(docs).as_posix())
        return await convert(self, path, seconds)

    monkeypatch.setattr(Converters, "convert", counted)
    documents = await open_documents(docs, home)
    assert sorted(read) == sorted(["tallow.md", f"new/{moved.name}"])
    urls = {hit.url for hit in await documents.search("*", 10)}
    assert f"{docs.name}/new/{moved.name}" in urls
    assert not urls & {f"{docs.name}/{moved.name}", f"{docs.name}/thomson.md"}


async def test_the_order_in_which_files_were_read_changes_neither_ranking_nor_scores(tmp_path: Path) -> None:
    folder = tmp_path / "ship"
    things = ("anchor", "bilge", "capstan", "davit", "ensign", "galley")

    def write(*names: str) -> None:
        written(folder, {name: f"Smiths forged the {name}. Sailors painted the {name} green." for name in names})

    async def ranked(home: str) -> list[tuple[str, float]]:
        documents = await open_documents(folder, tmp_path / home)
        return [(hit.title, hit.score) for hit in await documents.search("The hawser, its forging and the bilge", 6)]

    write(*things[3:])
    await ranked("by and by")
    write(*things[:3])
    assert await ranked("by and by") == await ranked("at once")


@pytest.mark.long
def test_the_script_or_notebook_that_asks_is_no_document(
    docs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = docs / "ask.py"
    script.write_text(
        "import asyncio\nfrom pathlib import Path\nfrom services.search.documents import open_documents\n"
        f"documents = asyncio.run(open_documents(Path({str(docs)!r}), Path({str(home)!r})))\n"
        "print([path for path, _ in documents.index.listing()], documents.unreadable)\n"
    )
    (docs / "asks.ipynb").write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": ["Who kept it dry?"]}]}))
    monkeypatch.setenv("JPY_SESSION_NAME", str(docs / "asks.ipynb"))
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, timeout=100)
    assert ran.stdout.endswith("[('ask.py', 'asks'), ('asks.ipynb', 'asks')]\n"), ran.stdout
    monkeypatch.delenv("JPY_SESSION_NAME")
    read = [path for path, _ in asyncio.run(open_documents(docs, home)).index.listing()]
    assert {"ask.py", "asks.ipynb"} <= set(read)
