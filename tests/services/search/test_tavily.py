"""Tavily's own client against a loopback server that answers, and fails, as the original does."""

import socket

import pytest

from services.errors import SearchError
from services.search.tavily import TavilySearch
from tests.fakes.tavily_server import page, tavily_server


async def test_pages_come_with_their_text_and_else_as_snippets() -> None:
    whole = page("https://a.example", "A", "Whole text.", published="2020-01-02")
    with tavily_server(
        whole, page("https://b.example", "B", None, "Part."), page("ftp://c.example", "C", "x")
    ) as server:
        hits = await TavilySearch(server.key, server.base_url).search("depth", 5)
    assert [(hit.text, hit.snippet_only) for hit in hits] == [("Whole text.", False), ("Part.", True)]


@pytest.mark.parametrize(
    ("status", "advice"), [(401, "TAVILY_API_KEY"), (429, "limit"), (432, "limit"), (500, "TAVILY_BASE_URL")]
)
async def test_a_failure_says_what_to_do_and_hides_the_key(status: int, advice: str) -> None:
    with tavily_server() as server:
        server.status = status
        with pytest.raises(SearchError, match=advice) as caught:
            await TavilySearch(server.key, server.base_url).search("depth", 5)
    assert server.key not in str(caught.value)


async def test_an_answer_without_results_is_empty() -> None:
    with tavily_server() as server:
        server.malformed = True
        assert await TavilySearch(server.key, server.base_url).search("depth", 5) == []


async def test_an_unreachable_service_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SearchError, match="TAVILY_BASE_URL"):
            await TavilySearch("tvly-x", address).search("depth", 5)
