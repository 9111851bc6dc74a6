"""Titles, names and tables that hold control characters: none comes out, wherever the command writes."""

import json
import re
from pathlib import Path

import pytest

from services.reports.checking.bundle_check import verify_bundle
from tests.attacks import command, report_folder
from tests.fakes.site import Site, site
from tests.fakes.tavily_server import page, tavily_server
from tests.leadline.conftest import Ran

QUESTION = "Who designed the wire sounding machine, and how many soundings of the Challenger does the table have?"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Allowed in a text, which is quoted as it is, and in no title or name."""
TITLE = "\x1b]0;owned\x07The wire\x9b31m sounding\x08 machine\u202e"
TEXT = "The wire sounding machine was designed by William Thomson in 1872.\x1b[2J It let a ship take soundings under way.\r"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "hostile\x1b[31m"
    folder.mkdir()
    (folder / "machine.md").write_text(f"# {TITLE}\n\n{TEXT}\n")
    (folder / "wire\x1b]0;owned\x07\nmachine\x7f.md").write_text(f"# Kelvin\u2066\n\n{TEXT} Again by Kelvin.\n")
    (folder / "page.html").write_bytes(
        b"<html><head><title>\x1b]0;owned\x07Thomson &#27;[31m&#155;</title></head><body><h1>Thomson\x1b[31m</h1>"
        b"<p>William Thomson designed the wire sounding machine for Lalla Rookh.\x07</p></body></html>"
    )
    (folder / "soundings.csv").write_text(
        "ship\x1b[2J,year\x07,depth_m\nChallenger\x1b]0;x\x07,1875,8184\nChallenger,1874,7137\nVema,1957,9000\n"
    )
    (folder / "not-\udcff-text.csv").write_text("a,b\n1,2\n")
    (folder / "not-\udcff-text.md").write_text("# A name that is no text\n\nThomson.\n")
    return folder


def found_in(ran: Ran, folder: Path) -> dict[str, str]:
    """Return where control characters came out, with what stands around them."""
    written = {"stdout": ran.out, "stderr": ran.err}
    written |= {
        path.name: path.read_bytes().decode("utf-8", "surrogateescape")
        for path in folder.rglob("*")
        if path.suffix in {".md", ".json", ".html", ".txt"}
    }
    outcome = {}
    for name, text in written.items():
        spoken = json.dumps(json.loads(text), ensure_ascii=False) if name.endswith(".json") else text
        escaped = re.search(r"\\u00(?:[01]|7f|[89])[0-9a-f]?", spoken)
        match = CONTROLS.search(spoken) or escaped
        if match is not None:
            outcome[name] = spoken[max(0, match.start() - 40) : match.end() + 40]
    titles = [line for line in (folder / "report.md").read_text().splitlines() if line.startswith(("#", "["))]
    evidence = json.loads((folder / "evidence.json").read_text())
    names = [f"{source['title']} {source['url']}" for source in evidence["sources"]]
    outcome |= {line: "direction" for line in [*titles, *names] if DIRECTIONS.search(line)}
    return outcome


def quotes_hold(folder: Path) -> int:
    evidence = json.loads((folder / "evidence.json").read_text())
    hashes = {source["id"]: source["text"] for source in evidence["sources"]}
    for excerpt in evidence["excerpts"]:
        place = folder / hashes[excerpt["source_id"]]
        if place.suffix == ".txt":
            assert place.read_text()[excerpt["start"] : excerpt["end"]] == excerpt["quote"]
    return len(evidence["excerpts"])


def test_a_folder_with_hostile_names_and_titles(hostile: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = command(
        "research",
        QUESTION,
        "--docs",
        hostile,
        "--out",
        out,
        "--format",
        "md,html",
        LEADLINE_LOG="text",
        LEADLINE_LOG_LEVEL="debug",
    )
    assert ran.code == 0, ran.err
    folder = report_folder(out)
    assert found_in(ran, folder) == {}
    assert "Thomson" in ran.out
    assert quotes_hold(folder) > 0
    assert not verify_bundle(folder).problems


def test_progress_as_json_lines(hostile: Path, tmp_path: Path) -> None:
    ran = command("research", QUESTION, "--docs", hostile, "--out", tmp_path / "out", "--events")
    assert ran.code == 0, ran.err
    for line in ran.err.splitlines():
        assert not CONTROLS.search(json.dumps(json.loads(line), ensure_ascii=False).replace("\\n", "")), line
    assert "\x1b" not in ran.err


def hits(served: Site) -> str:
    body = (
        f"<html><head><title>{TITLE}</title><meta name='author' content='Kel\x1bvin'>"
        "<meta property='og:site_name' content='Si\x07te'></head>"
        f"<body><article><h1>{TITLE}</h1><p>{TEXT}</p><p>Piano wire took the place of hemp rope.</p></article></body></html>"
    )
    return served.page("/machine\x1b", body).replace("\x1b", "%1B")


def test_a_page_and_a_search_engine_with_hostile_titles(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        site() as served,
        tavily_server(page(hits(served), TITLE, None, TEXT, published="2020\x1b[2J-01-01")) as tavily,
    ):
        ran = command(
            "research", "Who designed the wire sounding machine?", "--search", "tavily", "--out", out, "--format", "md,html",
            TAVILY_API_KEY=tavily.key, TAVILY_BASE_URL=tavily.base_url, LEADLINE_ALLOW_PRIVATE_HOSTS=served.host,
            LEADLINE_LOG="json",
        )  # fmt: skip
    assert ran.code == 0, ran.err
    folder = report_folder(out)
    assert found_in(ran, folder) == {}
    assert quotes_hold(folder) > 0


def test_words_of_the_one_who_asks_and_errors_that_quote_them(tmp_path: Path) -> None:
    missing = tmp_path / "no\x1b[31mwhere\x07"
    ran = command("research", "Who designed\x1b]0;owned\x07 it?", "--docs", missing)
    assert ran.code == 2
    assert not CONTROLS.search(ran.err.replace("\r", "")), ran.err
    assert "where" in ran.err
