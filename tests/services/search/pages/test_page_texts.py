"""Completing: a search without a key finds addresses, and their pages are read, each once."""

from collections.abc import Sequence

from schemas.publication import Publication
from services.search.filters import Filters
from services.search.hit import Hit
from services.search.pages.reader import PageReader
from services.search.run_pages import Read, complete, in_turns
from tests.fakes.site import Answer, Site
from tests.services.search.pages.conftest import Internet


def snippet(url: str, text: str = "Snippet.", **more: object) -> Hit:
    return Hit(url=url, title="T", kind="web", text=text, snippet_only=True, **more)


async def completed(
    results: Sequence[Sequence[Hit]], read: Read, max_pages: int, filters: Filters | None = None
) -> tuple[list[list[Hit]], list[str]]:
    """Complete with the first pages in turns."""
    return await complete(results, read, in_turns(results)[:max_pages], filters)


async def test_each_page_is_read_once_and_the_best_of_every_search_first(served: Site, reader: PageReader) -> None:
    a, b, c = (served.page(f"/{name}", f"<p>Text of {name}.</p>") for name in "abc")
    whole = Hit(url=served.url("/whole"), title="W", kind="web", text="Whole.")
    found, failures = await completed(
        [[snippet(a), snippet(b)], [whole, snippet(a), snippet(c)]], reader.read, max_pages=2
    )
    assert [[hit.text for hit in hits] for hits in found] == [
        ["Text of a.", "Text of b."],
        ["Whole.", "Text of a.", "Snippet."],
    ]
    assert sorted(served.asked) == ["/a", "/b", "/robots.txt"]
    assert failures == []


async def test_a_publication_is_read_where_it_is_open_and_keeps_what_its_catalogue_knows(
    served: Site, reader: PageReader
) -> None:
    open_text = served.page("/open", "<title>Page 1</title><p>The whole paper.</p>")
    known = Publication(year=2020, authors=("Ada Sounder",), doi="10.1234/echo.1", open_url=open_text)
    paper = snippet(
        "https://doi.org/10.1234/echo.1",
        "The abstract.",
        abstract_only=True,
        publication=known,
        published="2020-03-01",
        source_kind="academic",
    )
    gone = paper.model_copy(update={"publication": Publication(open_url=served.url("/gone"))})
    [[read, kept]], _ = await completed([[paper, gone]], reader.read, max_pages=5)
    assert (read.text, read.url, read.snippet_only, read.abstract_only) == ("The whole paper.", open_text, False, False)
    assert (read.title, read.published, read.source_kind, read.publication) == ("T", "2020-03-01", "academic", known)
    assert kept == gone


async def test_a_result_that_leads_inwards_stays_a_snippet_and_is_named(
    served: Site, internet: Internet, outside: PageReader
) -> None:
    inwards = [snippet("http://169.254.169.254/latest/"), snippet("http://localhost:2024/runs")]
    [hits], failures = await completed([inwards], outside.read, max_pages=5)
    assert hits == inwards
    assert len(failures) == 2
    assert internet.dialled == []


async def test_a_page_that_turns_out_to_be_of_a_site_left_out_stays_a_snippet(
    served: Site, internet: Internet, outside: PageReader
) -> None:
    served.pages["/"] = Answer(status=302, headers={"Location": "http://bad.example/x"})
    served.page("/x", "<p>Text.</p>")
    kept = snippet("http://good.example/", published="2020-01-02")
    assert await completed([[kept]], outside.read, 5, Filters.of([], ["bad.example"])) == ([[kept]], [])
    [[read]], _ = await completed([[kept]], outside.read, 5)
    assert (read.url, read.published) == ("http://bad.example/x", "2020-01-02")
