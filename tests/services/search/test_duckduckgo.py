"""DuckDuckGo through ddgs' own engine and client, against a loopback site that answers as DuckDuckGo does."""

import asyncio
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from services.run.errors import SearchError, SearchRefused
from services.search.duckduckgo import DuckDuckGoSearch
from services.search.filters import Filters
from tests.fakes.site import Answer, Site, site


def results(*items: tuple[str, str, str]) -> str:
    """Return a page of results of the form that DuckDuckGo's plain pages have."""
    rows = "".join(
        f"""<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
        <h2 class="result__title"><a rel="nofollow" class="result__a" href="{url}">{title}</a></h2>
        <a class="result__snippet" href="{url}">{snippet}</a></div></div>"""
        for url, title, snippet in items
    )
    return f'<html><body><div class="serp__results"><div id="links" class="results">{rows}</div></div></body></html>'


WIRE = ("https://a.example/wire", "Piano <b>wire</b>", "The <b>wire</b> took the   place of rope &amp; chain.")


@pytest.fixture
def engine() -> Iterator[Site]:
    with site() as served:
        yield served


def search(engine: Site, html: str = "", status: int = 200, **options: object) -> DuckDuckGoSearch:
    engine.pages["/html/"] = Answer(html.encode(), status)
    return DuckDuckGoSearch(url=engine.url("/html/"), **options)  # type: ignore[arg-type]  # what each test chooses


async def test_results_become_snippets_with_their_addresses(engine: Site) -> None:
    page = results(
        WIRE,
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fb.example%2Fx%3Fa%3D1&amp;rut=abc", "B", "Wrapped."),
        ("https://duckduckgo.com/y.js?ad_domain=ads.example", "Ad", "Buy wire."),
        ("javascript:alert(1)", "J", "Script."),
        ("https://c.example/", "C", ""),
        (WIRE[0], "Again", "The same page."),
    )
    hits = await search(engine, page).search("piano wire", 10)
    assert [(hit.url, hit.title, hit.text) for hit in hits] == [
        (WIRE[0], "Piano wire", "The wire took the place of rope & chain."),
        ("https://b.example/x?a=1", "B", "Wrapped."),
    ]
    assert all(hit.snippet_only and hit.kind == "web" for hit in hits)
    assert len(await search(engine, page).search("piano wire", 1)) == 1


async def test_nothing_found_is_an_answer(engine: Site) -> None:
    page = '<html><body><div class="no-results">No results found for wire.</div></body></html>'
    assert await search(engine, page).search("wire", 5) == []


async def test_what_is_asked_for_is_sent_and_holds_for_results(engine: Site) -> None:
    await search(engine, results(WIRE)).search("钢琴线 wire", 5)
    other = ("https://b.example/", "B", "Rope.")
    filtered = search(engine, results(WIRE, other), filters=Filters(("a.example",), time_range="year"))
    assert [hit.url for hit in await filtered.search("wire", 5)] == [WIRE[0]]
    await search(engine, results(WIRE), filters=Filters(time_range="week")).search("wire", 5)
    plain, chosen, recent = (parse_qs(body, encoding="utf-8") for body in engine.bodies)
    assert (plain["q"], plain["l"], plain.get("df")) == (["钢琴线 wire"], ["wt-wt"], None)
    assert (chosen["q"], chosen["l"]) == (["site:a.example wire"], ["wt-wt"])
    assert (chosen["df"], recent["df"]) == (["y"], ["w"])


async def test_a_query_cannot_send_the_search_to_another_site(engine: Site) -> None:
    await search(engine, results(WIRE)).search("!g wire \\ !!w rope", 5)
    assert parse_qs(engine.bodies[0])["q"] == ["g wire w rope"]
    with site() as elsewhere:
        engine.pages["/html/"] = Answer(status=302, headers={"Location": elsewhere.url()})
        with pytest.raises(SearchError, match="HTTP 302"):
            await DuckDuckGoSearch(url=engine.url("/html/")).search("wire", 5)
    assert elsewhere.asked == []


RIDDLE = '<html><div class="anomaly-modal__title">Select all ducks</div></html>'


@pytest.mark.parametrize(("status", "body"), [(202, "<html>Are you a person?</html>"), (429, "<html>"), (200, RIDDLE)])
async def test_a_search_too_many_is_a_refusal(engine: Site, status: int, body: str) -> None:
    with pytest.raises(SearchRefused, match="no more searches"):
        await search(engine, body, status).search("wire", 5)


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ("<html>oops</html>", 500, "HTTP 500"),
        ("", 200, "HTTP 200"),
        ("<html>A page of something else.</html>", 200, "not a page of results"),
    ],
)
async def test_other_failures_are_named(engine: Site, body: str, status: int, reason: str) -> None:
    with pytest.raises(SearchError, match=reason) as caught:
        await search(engine, body, status).search("wire", 5)
    assert not isinstance(caught.value, SearchRefused)


async def test_a_service_that_hangs_up_or_does_not_answer_is_named(engine: Site) -> None:
    async def quiet(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    engine.pages["/html/"] = Answer(raw=b"")
    with pytest.raises(SearchError, match="not reached"):
        await DuckDuckGoSearch(url=engine.url("/html/")).search("wire", 5)
    engine.pages["/html/"] = Answer(stream=quiet)
    with pytest.raises(SearchError, match="in time"):
        await DuckDuckGoSearch(url=engine.url("/html/"), seconds=1).search("wire", 5)


async def test_proxies_of_the_environment_are_not_used(engine: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with site() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "DDGS_PROXY", "PRIMP_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        assert len(await search(engine, results(WIRE)).search("wire", 5)) == 1
    assert proxy.asked == []
