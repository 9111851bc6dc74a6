"""Tavily against a loopback server that answers, and refuses, as the original does; what all services share is in `web_services/`."""

import pytest

from services.run.errors import SearchRefused
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import services
from tests.fakes.tavily_server import TavilyServer, page, tavily_server


def search_at(server: TavilyServer) -> ServiceSearch:
    return ServiceSearch(services()["tavily"], server.key, server.base_url)


async def test_pages_come_with_their_text_and_else_as_snippets() -> None:
    whole = page("https://a.example", "A", "Whole text.", published="2020-01-02")
    with tavily_server(
        whole, page("https://b.example", "B", None, "Part."), page("ftp://c.example", "C", "x")
    ) as server:
        hits = await search_at(server).search("depth", 5)
    assert [(hit.text, hit.snippet_only) for hit in hits] == [("Whole text.", False), ("Part.", True)]


@pytest.mark.parametrize(
    ("status", "advice"),
    [(401, "TAVILY_API_KEY"), (403, "TAVILY_API_KEY"), (429, "limit"), (432, "limit"), (433, "limit")],
)
async def test_a_refusal_says_what_to_do_and_hides_the_key(status: int, advice: str) -> None:
    with tavily_server() as server:
        server.status = status
        with pytest.raises(SearchRefused, match=advice) as caught:
            await search_at(server).search("depth", 5)
    assert server.key not in str(caught.value)


async def test_what_is_asked_for_is_sent() -> None:
    with tavily_server() as server:
        await search_at(server).search("x" * 500, 50)
    assert server.requests == [{"query": "x" * 400, "max_results": 20, "include_raw_content": "markdown"}]
