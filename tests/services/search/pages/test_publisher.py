"""Who publishes a page, of which kind it is and when it appeared, as its own metadata say; hostile metadata included."""

import json
from typing import Any

import pytest

from services.search.files.page_card import MAX_META, MAX_THINGS
from services.search.pages.reader import Page, PageReader
from services.search.source_kinds import LONGEST_SITE
from tests.fakes.site import Site

BODY = "<article><h1>Piano wire</h1><p>Piano wire took the place of hemp rope in the year 1872, and it was far thinner.</p></article>"


async def read(served: Site, reader: PageReader, head: str, path: str = "/page") -> Page:
    return await reader.read(
        served.page(path, f"<html><head><title>Piano wire</title>{head}</head><body>{BODY}</body></html>")
    )


def meta(name: str, content: str) -> str:
    kind = "property" if ":" in name else "name"
    return f'<meta {kind}="{name}" content="{content}">'


def linked(value: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (meta("og:site_name", "Harbour Gazette"), "Harbour Gazette (127.0.0.1)"),
        (meta("citation_journal_title", "Journal of Wire"), "Journal of Wire (127.0.0.1)"),
        (linked({"@type": "Article", "publisher": {"name": "The Wire"}}), "The Wire (127.0.0.1)"),
        (linked([{"@graph": [{"@type": "Thing"}, {"publisher": [{"name": "Deep Graph"}]}]}]), "Deep Graph (127.0.0.1)"),
        (linked({"publisher": "Plain Text Press"}), "Plain Text Press (127.0.0.1)"),
        ("", "127.0.0.1"),
        (meta("og:site_name", ""), "127.0.0.1"),
    ],
)
async def test_the_site_is_what_the_page_calls_itself_with_its_address(
    served: Site, reader: PageReader, head: str, name: str
) -> None:
    page = await read(served, reader, head)
    assert (page.site, page.hit().site) == (name, name)


@pytest.mark.parametrize(
    ("head", "path", "kind"),
    [
        (linked({"@type": "NewsArticle"}), "/a", "news"),
        (linked({"@type": ["Article", "ReportageNewsArticle"]}), "/a", "news"),
        (meta("article:published_time", "2024-03-12"), "/world/news/a", "news"),
        (linked({"@type": "ScholarlyArticle"}), "/a", "academic"),
        (meta("citation_doi", "10.1/x"), "/a", "academic"),
        (linked({"@type": "QAPage"}), "/a", "forum"),
        (linked({"@type": "Product"}), "/a", "company"),
        (linked({"@type": "BlogPosting"}), "/blog/a", "personal"),
        (linked({"@type": "DefinedTerm"}), "/a", "reference"),
        (linked({"@type": "GovernmentOrganization"}), "/a", "general"),
        (meta("article:published_time", "2024-03-12"), "/blog/a", "general"),
        ("", "/a", "general"),
    ],
)
async def test_the_kind_is_what_the_page_says_of_itself(
    served: Site, reader: PageReader, head: str, path: str, kind: str
) -> None:
    page = await read(served, reader, head, path)
    assert (page.source_kind, page.hit().source_kind) == (kind, kind)


HOSTILE = {
    "endless": meta("og:site_name", "x" * 100_000),
    "endless words": meta("og:site_name", "wire " * 20_000),
    "HTML": meta("og:site_name", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    "an address": meta("og:site_name", "https://nature.com"),
    "blanks": meta("og:site_name", " &#10;&#9; "),
    "no letters": meta("og:site_name", "★ 2024 ★"),
    "no JSON": '<script type="application/ld+json">{"publisher": {"name": </script>',
    "deep JSON": f'<script type="application/ld+json">{"[" * 50_000}</script>',
    "a long block": linked({"publisher": {"name": "Wire"}, "text": "x" * 250_000}),
    "a graph of graphs": linked({"@graph": [{"@graph": [{}] * 50}] * MAX_THINGS + [{"publisher": "Late"}]}),
    "a publisher of another type": linked({"publisher": {"name": {"name": ["Wire"]}}}),
    "types of another type": linked({"@type": {"a": 1}, "publisher": 7}),
    "many tags": meta("x", "y") * MAX_META + meta("og:site_name", "Late"),
}


@pytest.mark.parametrize("head", HOSTILE.values(), ids=HOSTILE.keys())
async def test_what_is_no_plausible_name_is_left_for_the_address(served: Site, reader: PageReader, head: str) -> None:
    page = await read(served, reader, head)
    assert (page.site, page.source_kind) == ("127.0.0.1", "general")
    assert "Piano wire took the place" in page.text


async def test_a_name_holds_no_control_characters_and_stands_on_one_line(served: Site, reader: PageReader) -> None:
    page = await read(served, reader, meta("og:site_name", "Har\x1bbour\x07 &#27;Gaz&#10;ette\u202e \u200bDaily"))
    assert page.site == "Harbour Gaz ette Daily (127.0.0.1)"
    assert len(page.site) <= 2 * LONGEST_SITE


async def test_hidden_elements_name_nobody(served: Site, reader: PageReader) -> None:
    hidden = f'<div style="display:none">{linked({"@type": "NewsArticle", "publisher": "Hidden"})}</div>'
    page = await reader.read(served.page("/hidden", f"<html><body>{hidden}{BODY}</body></html>"))
    assert (page.site, page.source_kind) == ("127.0.0.1", "general")
