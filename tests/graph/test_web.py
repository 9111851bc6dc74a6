"""Web search with a key: the real Tavily client against a loopback server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from leadline import aresearch
from services.settings import forget_settings
from tests.fakes.tavily_server import TavilyServer, page, tavily_server

QUESTION = "Who designed the tide predicting machine and in which year was it built?"
TEXT = (
    "# Tide predicting machines\n\nThe first tide predicting machine was designed by William Thomson and built in 1873. "
    "It added up ten harmonic constituents by means of pulleys.\n"
)


@pytest.fixture
def tavily(monkeypatch: pytest.MonkeyPatch) -> Iterator[TavilyServer]:
    with tavily_server(
        page("https://tides.example/machine?a=1&b=(2)", "Tide machines", TEXT, published="2020-05-01")
    ) as server:
        monkeypatch.setenv("TAVILY_API_KEY", server.key)
        monkeypatch.setenv("TAVILY_BASE_URL", server.base_url)
        forget_settings()
        yield server


async def test_a_web_page_is_quoted_and_linked(tavily: TavilyServer) -> None:
    report = await aresearch(QUESTION)
    assert "1873" in report.markdown
    [source] = report.sources
    assert (source.kind, source.published) == ("web", "2020-05-01")
    assert "(https://tides.example/machine?a=1&b=" in report.markdown
    assert all(request["include_raw_content"] for request in tavily.requests)


async def test_a_snippet_stands_in_for_a_page_and_is_marked(tavily: TavilyServer) -> None:
    tavily.pages = [
        page(
            "https://tides.example/short",
            "Short",
            None,
            snippet="The tide predicting machine was built in 1873 by Thomson.",
        )
    ]
    report = await aresearch(QUESTION)
    assert report.sources[0].snippet_only
    assert "snippet" in report.markdown


async def test_documents_are_searched_along_with_the_web(tavily: TavilyServer, docs: Path) -> None:
    report = await aresearch(
        "Who designed the wire sounding machine, and who designed the tide predicting machine?", docs=[docs]
    )
    assert {source.kind for source in report.sources} == {"web", "document"}


@pytest.mark.parametrize("status", [429, 432, 500])
async def test_a_search_that_fails_is_named_and_nothing_is_written_from_nothing(
    tavily: TavilyServer, status: int
) -> None:
    tavily.status = status
    report = await aresearch(QUESTION)
    assert report.excerpts == []
    assert "Tavily" in report.markdown
    assert tavily.key not in report.model_dump_json()


async def test_a_malformed_answer_is_no_evidence_and_a_wrong_key_is_named(
    tavily: TavilyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tavily.malformed = True
    assert (await aresearch(QUESTION)).excerpts == []
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-wrong")
    forget_settings()
    assert "TAVILY_API_KEY" in (await aresearch(QUESTION)).markdown
