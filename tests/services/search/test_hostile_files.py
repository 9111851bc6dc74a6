"""A folder with files that take a converter's time and memory: the good ones are searched meanwhile, and the others are named."""

import asyncio
import itertools
import re
import zlib
from functools import reduce
from pathlib import Path

import psutil
import pytest

from leadline import aresearch
from schemas.events import Event
from schemas.files_read import FilesRead, furthest
from services.run.settings import forget_settings, settings
from services.search import folder_reading
from services.search.documents import open_documents
from tests.fakes.forked import Command
from tests.fakes.read_folder import filled, written

pytestmark = pytest.mark.long

GOOD = b"<html><body><h1>Tallow</h1><p>Tallow in the lead brought up sand.</p></body></html>"


def inflating_pdf() -> bytes:
    """Return a PDF file of 8 KB whose page unfolds to 600 MB."""
    packer, part, check = zlib.compressobj(1, zlib.DEFLATED, -zlib.MAX_WBITS), b" " * 10_000_000, 1
    packed = packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)  # after which the same may follow again
    for _ in range(60):
        check = zlib.adler32(part, check)
    unfolding = b"\x78\x01" + packed * 60 + packer.flush() + check.to_bytes(4, "big")
    return pdf(zlib.compress(unfolding, 9), b"/FlateDecode/FlateDecode")


def chained_pdf() -> bytes:
    """Return a PDF file whose page goes through many filters, the innermost of which unfolds to 30 MB."""
    stream = zlib.compress(b" " * 30_000_000, 9)
    for _ in range(50):
        stream = zlib.compress(stream)
    return pdf(stream, b"/FlateDecode" * 51)


def pdf(stream: bytes, filters: bytes) -> bytes:
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<>>>>",
        b"<</Length %d/Filter[%s]>>stream\n%s\nendstream" % (len(stream), filters, stream),
    ]
    file, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return file + table + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(file)


SLOW = pdf(zlib.compress(b"0 0 1 1 re f " * 300_000, 9), b"/FlateDecode").replace(
    b"Kids[3 0 R]/Count 1", b"Kids[" + b"3 0 R " * 400 + b"]/Count 400"
)
"""A PDF file of 12 KB with 400 pages of 300,000 rectangles each."""


WIRE = "The wire sounding machine was used in 1872."


@pytest.fixture
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two good files, which have been read, and two slow ones."""
    monkeypatch.setenv("LEADLINE_FILE_SECONDS", "30")
    forget_settings()
    folder = filled(tmp_path / "folder", {"wire.txt": WIRE, "tallow.html": GOOD})
    await open_documents(folder, tmp_path / "home")
    add_slow(folder, 2)
    return folder


def add_slow(folder: Path, count: int) -> None:
    filled(folder, {f"slow-{number}.pdf": SLOW + b"%" * number for number in range(count)})


async def test_good_files_are_searched_while_hostile_ones_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_FILE_SECONDS", "2")
    monkeypatch.setattr(folder_reading, "FIRST_SECONDS", 0.5)
    forget_settings()
    hostile = {"inflating.pdf": inflating_pdf(), "chained.pdf": chained_pdf()}
    folder = filled(tmp_path / "folder", {"tallow.html": GOOD, **hostile})
    add_slow(folder, 2)
    usage = _Usage()
    watching = asyncio.create_task(usage.watch())
    documents = await open_documents(folder, tmp_path / "home")
    watching.cancel()
    assert set(documents.unread) >= {"inflating.pdf", "slow-0.pdf", "slow-1.pdf"}
    assert {hit.title for hit in await documents.search("tallow wire", 5)} >= {"Tallow"}
    assert usage.peak < 512 << 20
    assert usage.side_by_side == 2


class _Usage:
    """Memory of the processes that convert, and how many of them there are at once."""

    peak = 0
    side_by_side = 0

    async def watch(self) -> None:
        while True:
            using = [size for child in psutil.Process().children(recursive=True) if (size := _converting(child))]
            self.peak = max([self.peak, *using])
            self.side_by_side = max(self.side_by_side, len(using))
            await asyncio.sleep(0.1)


def _converting(child: psutil.Process) -> int:
    try:
        command = " ".join(child.cmdline())
        converts = (
            "services.search.files.convert_office" in command and f'"memory": {512 << 20}' in command
        )  # and reads no images
        reads = converts and not child.children()  # no mere parent
        return int(child.memory_info().rss) if reads else 0
    except psutil.Error:  # it ended meanwhile
        return 0


async def test_what_is_not_read_in_time_is_named_and_read_the_next_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "slow-1.pdf").unlink()
    documents = await open_documents(folder, tmp_path / "home", seconds=3)
    assert documents.unread == ["slow-0.pdf"]
    assert await asyncio.to_thread(documents.index.skipped) == []
    assert "wire" in (await documents.search("sounding machine", 5))[0].text
    monkeypatch.setenv("LEADLINE_FILE_SECONDS", "1")
    forget_settings()
    again = await open_documents(folder, tmp_path / "home")
    assert again.unread == documents.unread
    assert len(await asyncio.to_thread(again.index.skipped)) == 1  # it is not tried once more


async def test_another_research_in_the_folder_searches_what_has_been_read(folder: Path, tmp_path: Path) -> None:
    first = asyncio.create_task(open_documents(folder, tmp_path / "home"))
    await asyncio.sleep(1)
    second = await open_documents(folder, tmp_path / "home", seconds=1)
    assert not first.done()
    assert second.count == 2
    assert "slow-0.pdf" in second.unread
    first.cancel()
    await asyncio.wait([first])


async def test_files_that_limits_ruled_out_are_read_again_with_other_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = filled(tmp_path / "folder", {"wire.txt": WIRE})
    await open_documents(folder, tmp_path / "home")
    (folder / "tallow.html").write_bytes(GOOD)
    monkeypatch.setenv("LEADLINE_FILE_SECONDS", "0.0001")
    forget_settings()
    documents = await open_documents(folder, tmp_path / "home")
    assert documents.unread == ["tallow.html"]
    monkeypatch.setenv("LEADLINE_FILE_SECONDS", "60")
    forget_settings()
    assert (await open_documents(folder, tmp_path / "home")).unread == []


async def test_markup_that_never_ends_is_read_in_linear_time(tmp_path: Path) -> None:
    openings = enumerate([b"<!--", b"<?", b"<![CDATA[", b"<a b='"])
    told = b"<p>Tallow brought up sand.</p>"
    files = {f"{n}.html": told + opening * (1_000_000 // len(opening)) for n, opening in openings}
    documents = await open_documents(filled(tmp_path / "folder", files), tmp_path / "home")
    assert (documents.count, documents.unread) == (4, [])


async def test_a_run_does_not_wait_for_a_folder_of_slow_files_and_tells_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = barra(tmp_path)
    (folder / "keepers.md").write_text("# Keepers\n\nThree keepers lived at the lighthouse until 1980.")
    (folder / "broken.docx").write_text("no archive")
    await open_documents(folder, settings().leadline_home)
    monkeypatch.setenv("LEADLINE_FILE_SECONDS", "1")
    monkeypatch.setattr(folder_reading, "FIRST_SECONDS", 0.5)
    monkeypatch.setattr(folder_reading, "SHORTEST_SECONDS", 0.3)
    forget_settings()
    add_slow(folder, 4)
    events: list[Event] = []
    report = await aresearch(QUESTION, docs=[folder], on_event=events.append)
    assert "Robert Alder" in report.markdown
    [told] = [limit for limit in report.limits if "in time" in limit]
    named = ", ".join(f"slow-{number}.pdf" for number in range(3))
    assert told == f"4 of 7 files could not be read in time, and were not searched: {named} and 1 more."
    assert told in report.markdown
    assert any("broken.docx" in limit for limit in report.limits), report.limits
    reading = [event.data for event in events if event.type == "reading"]
    assert any(told["total"] == 7 and told["done"] >= 2 and told["slow"] == 4 for told in reading)
    assert [event.title for event in events if event.type == "searching"] == [f"Searching documents: {QUESTION}"]
    events.clear()
    again = await aresearch(QUESTION, docs=[folder], on_event=events.append)  # what came to nothing is not tried again
    assert not any(event.data.get("slow") for event in events if event.type == "reading")
    assert (again.limits, again.markdown) == (report.limits, report.markdown)


QUESTION = "Who built the lighthouse of Barra?"


def barra(place: Path) -> Path:
    """Make a folder with a document that answers the question."""
    return written(place / "folder", {"Barra": "The lighthouse of Barra was built by Robert Alder in 1833."})


@pytest.mark.parametrize("line", ["x\n", "| lighthouse | 1833 |\n"], ids=["short lines", "a table"])
def test_a_long_text_does_not_outlast_the_run(tmp_path: Path, line: str) -> None:
    """Nothing ended the splitting of a converted text: it went on for minutes, with up to 4 GB, and held the index locked."""
    folder = barra(tmp_path)
    asyncio.run(open_documents(folder, settings().leadline_home))
    (folder / "long.md").write_text(line * (40_000_000 // len(line)))
    command = Command(["research", QUESTION, "--docs", str(folder), "--max-seconds", "8"])
    try:
        out, err = command.communicate(timeout=100)
    finally:
        command.kill()
    assert command.returncode == 0, err
    assert "Robert Alder" in out
    assert re.search("## Limits.*long.md", out, re.DOTALL), out


def test_files_that_were_not_searched_are_told_once_as_they_are_at_the_end(tmp_path: Path) -> None:
    folder = barra(tmp_path)
    (folder / "broken.docx").write_text("no archive")
    searches: list[str] = []

    def further(event: Event) -> None:
        if event.type in ("background", "searched", "round"):
            searches.append(event.type)
            if not (folder / "worse.docx").exists():
                (folder / "worse.docx").write_text("no archive either")

    asked = "Who built the lighthouse of Barra, and why was it built there?"
    report = asyncio.run(aresearch(asked, docs=[folder], on_event=further))
    assert len(searches) > 1
    told = [limit for limit in report.limits if ".docx" in limit]
    assert len(told) == 1, told
    assert told[0].startswith("broken.docx, worse.docx were not searched")


def test_the_search_that_got_furthest_tells_how_files_were_read() -> None:
    early, late = FilesRead(unread=["a.pdf", "b.pdf"], unread_count=2, files=3), FilesRead(files=3)
    nothing = FilesRead()
    for order in itertools.permutations([early, late, nothing]):
        assert reduce(furthest, order) == late
