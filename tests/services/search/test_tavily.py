"""Tavily's own client against a loopback server that answers, and fails, as the original does."""

import asyncio
import socket

import pytest

from services.run.errors import SearchError, SearchRefused
from services.search.filters import Filters
from services.search.tavily import TavilySearch
from tests.fakes.site import Answer, site
from tests.fakes.tavily_server import page, tavily_server


async def test_pages_come_with_their_text_and_else_as_snippets() -> None:
    whole = page("https://a.example", "A", "Whole text.", published="2020-01-02")
    with tavily_server(
        whole, page("https://b.example", "B", None, "Part."), page("ftp://c.example", "C", "x")
    ) as server:
        hits = await TavilySearch(server.key, server.base_url).search("depth", 5)
    assert [(hit.text, hit.snippet_only) for hit in hits] == [("Whole text.", False), ("Part.", True)]


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "TAVILY_API_KEY"), (403, "restriction"), (429, "limit"), (432, "limit"), (433, "limit")],
)
async def test_a_refusal_says_what_to_do_and_hides_the_key(status: int, advice: str) -> None:
    with tavily_server() as server:
        server.status = status
        with pytest.raises(SearchRefused, match=advice) as caught:
            await TavilySearch(server.key, server.base_url).search("depth", 5)
    assert server.key not in str(caught.value)


@pytest.mark.parametrize(("status", "advice"), [(400, "other words"), (500, "HTTP 500")])
async def test_a_failure_says_what_to_do_and_is_no_refusal(status: int, advice: str) -> None:
    with tavily_server() as server:
        server.status = status
        with pytest.raises(SearchError, match=advice) as caught:
            await TavilySearch(server.key, server.base_url).search("depth", 5)
    assert not isinstance(caught.value, SearchRefused)


async def test_nothing_found_is_an_answer() -> None:
    with tavily_server() as server:
        assert await TavilySearch(server.key, server.base_url).search("depth", 5) == []


@pytest.mark.parametrize(
    "body", [b'{"nothing": "of use"}', b'{"results": 7}', b"[1, 2]", b"null", b"<html>", b"", b'{"results": [', b"\xff"]
)
async def test_a_malformed_answer_is_named(body: bytes) -> None:
    with site() as service:
        service.pages["/search"] = Answer(body, kind="application/json")
        with pytest.raises(SearchError, match=r"malformed\. Check TAVILY_BASE_URL"):
            await TavilySearch("tvly-x", service.url().rstrip("/")).search("depth", 5)


async def test_what_is_malformed_in_an_answer_is_left_out() -> None:
    with tavily_server(page("https://a.example", "A", "Text.")) as server:
        server.pages += [{}, {"url": None}, {"url": "https://b.example", "content": ""}, {"url": 7, "content": "x"}]
        hits = await TavilySearch(server.key, server.base_url).search("depth", 10)
    assert [hit.url for hit in hits] == ["https://a.example"]


async def test_an_unreachable_service_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SearchError, match=r"not reached.*TAVILY_BASE_URL"):
            await TavilySearch("tvly-x", address).search("depth", 5)


async def test_a_service_that_does_not_answer_is_given_up() -> None:
    async def quiet(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    with site() as service:
        service.pages["/search"] = Answer(stream=quiet, kind="application/json")
        with pytest.raises(SearchError, match="did not answer in time"):
            await TavilySearch("tvly-x", service.url().rstrip("/"), seconds=0.3).search("depth", 5)


async def test_what_is_asked_for_is_sent() -> None:
    with tavily_server() as server:
        await TavilySearch(server.key, server.base_url).search("x" * 500, 50)
        await TavilySearch(
            server.key,
            server.base_url,
            filters=Filters.of(["example.com", "https://www.example.org/a"], ["*.evil.example"], time_range="month"),
        ).search("depth", 3)
    plain, chosen = server.requests
    assert plain == {"query": "x" * 400, "max_results": 20, "include_raw_content": "markdown"}
    assert chosen["include_domains"] == ["example.com", "www.example.org"]
    assert chosen["exclude_domains"] == ["evil.example"]
    assert (chosen["time_range"], chosen["max_results"]) == ("month", 3)


async def test_what_the_service_finds_elsewhere_is_left_out_too() -> None:
    pages = [page(f"https://{host}/", "T", "Text.") for host in ("a.example", "x.a.example", "ba.example", "b.example")]
    with tavily_server(*pages) as server:
        only = TavilySearch(server.key, server.base_url, filters=Filters.of(["a.example"], ["x.a.example"]))
        never = TavilySearch(server.key, server.base_url, filters=Filters.of([], ["a.example"]))
        assert [hit.url for hit in await only.search("depth", 9)] == ["https://a.example/"]
        assert [hit.url for hit in await never.search("depth", 9)] == ["https://ba.example/", "https://b.example/"]
