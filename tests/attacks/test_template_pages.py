"""Pages of one template are sources of their own: what is said of Portugal is cited to Portugal's page."""

import json
from pathlib import Path

import pytest

from services.reports.bundle_files import seal
from tests.attacks.conftest import Command
from tests.services.text.test_duplicates import chinese, country

PAGES = {
    "austria.md": country("Austria", "Vienna", "9,104,772", "83,879", 1995),
    "portugal.md": country("Portugal", "Lisbon", "10,467,366", "92,230", 1986),
}
CHINESE_PAGES = {
    "奥地利.md": chinese("奥地利", "维也纳", "9104772"),
    "葡萄牙.md": chinese("葡萄牙", "里斯本", "10467366"),
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Return a folder with a page on Portugal, and before it, in the order of names, one on Austria."""
    folder = tmp_path / "countries"
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("question", "figure", "page", "texts"),
    [
        ("How large is the population of Portugal?", "10,467,366", "portugal.md", PAGES),
        ("How large is the population of Austria?", "9,104,772", "austria.md", PAGES),
        ("葡萄牙的全国人口是多少？", "10467366", "葡萄牙.md", CHINESE_PAGES),
    ],
)
def test_a_figure_is_cited_to_the_page_that_tells_it(
    tmp_path: Path, command: Command, question: str, figure: str, page: str, texts: dict[str, str]
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    done = command("research", question, "--docs", folder)
    assert done.code == 0, done.err
    sources = {one["id"]: one for one in done.evidence["sources"]}
    assert [one["duplicate_of"] for one in sources.values()] == [None] * len(sources)
    excerpts = {one["id"]: one for one in done.evidence["excerpts"]}
    cited = {
        Path(sources[excerpts[one]["source_id"]]["url"]).name
        for claim in done.evidence["claims"]
        if figure in claim["text"]
        for one in claim["citations"]
    }
    assert cited == {page}
    number = next(one["id"][1:] for one in sources.values() if one["url"].endswith(page))
    told = next(line for line in done.report.splitlines() if figure in line and "[[" in line)
    assert f"[[{number}]](" in told
    assert command("verify", done.folder).code == 0


def test_verify_notices_a_quote_that_is_cited_to_its_sibling(pages: Path, command: Command) -> None:
    done = command("research", "How large is the population of Portugal and of Austria?", "--docs", pages)
    assert done.folder is not None
    place = done.folder / "evidence.json"
    content = json.loads(place.read_text("utf-8"))
    austria, portugal = (
        next(one for one in content["sources"] if one["url"].endswith(name)) for name in ("austria.md", "portugal.md")
    )
    portugal["duplicate_of"] = austria["id"]
    content["evidence_sha256"] = seal(content)
    place.write_text(json.dumps(content, ensure_ascii=False))
    checked = command("verify", done.folder)
    assert checked.code == 1
    assert "does not hold it" in checked.out + checked.err
