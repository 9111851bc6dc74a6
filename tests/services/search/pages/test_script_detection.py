"""Pages that need scripts: recognised by structure and text, while short pages stand as they are."""

from pathlib import Path

import pytest
from lxml import html

from services.search.files.missing_text import (
    MAX_ELEMENTS,
    NeedsScripts,
    has_drawn,
    script_signs,
)
from services.search.pages.extract import extract
from services.search.pages.extraction import Extracted
from tests.attacks.processor_time import processor_time

SAVED = Path(__file__).parent / "saved"
EXPECTED = {
    "shell-react": "empty",
    "shell-module": "shell",
    "shell-custom-element": "notice",
    "waiting-chinese": "notice",
    "notice-english": "notice",
    "notice-chinese": "notice",
    "notice-traditional": "notice",
    "empty-with-scripts": "empty",
    "short-page": None,
    "short-chinese": None,
    "filled-by-server": None,
    "article-about-scripts": None,
    "no-scripts": None,
    "noscript-picture": None,
}


def extracted(page: str) -> Extracted:
    return extract(
        {"name": "page", "kind": "html", "charset": None, "url": "https://a.example", "characters": 10_000},
        page.encode(),
    )


@pytest.mark.parametrize("name", sorted(path.stem for path in SAVED.glob("*.html")))
def test_a_saved_page_is_judged(name: str) -> None:
    assert extracted((SAVED / f"{name}.html").read_text("utf-8")).get("needs_scripts") == EXPECTED[name]


@pytest.mark.parametrize(
    ("why", "text", "drawn"),
    [
        ("empty", "", False),
        ("empty", "High water at noon.", True),
        ("empty", "Tides of Brest\nLoading …", False),
        ("notice", "请启用JavaScript", False),
        ("shell", "Harbour office", False),
        ("shell", "Harbour office\nHigh water at noon.", True),
        ("empty", "Loading\n" + "High water at noon. " * 40, True),
    ],
)
def test_a_page_has_drawn_when_it_shows_more_and_does_not_say_to_wait(
    why: NeedsScripts, text: str, drawn: bool
) -> None:
    assert has_drawn(why, "Harbour office.", text) is drawn


@pytest.mark.parametrize(
    "page",
    [
        "<div id=app>" * 100_000,
        "<script></script>" + "<div id=root> </div>" * 100_000,
        "<noscript>enable " + "a " * 400_000,
        "<x-a>" + "<i> </i>" * MAX_ELEMENTS,
        "<div id=app>" + "<b>w</b> " * 300_000,
    ],
    ids=["nested", "many", "notice", "own element", "filled"],
)
def test_a_hostile_page_is_judged_in_linear_time(page: str) -> None:
    parser = html.HTMLParser(huge_tree=True)
    tree = html.document_fromstring(page, parser=parser)
    with processor_time(5.0):
        script_signs(tree)
