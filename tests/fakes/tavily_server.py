"""A loopback server that speaks Tavily's search."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest

from services.run.settings import forget_settings
from services.search.web import forget_web
from tests.fakes.http import FarEnd, Reply, Request, served

ERRORS = {
    401: {"detail": {"error": "Unauthorized: missing or invalid API key."}},
    400: {"detail": {"error": "Query is too long. Max query length is 400 characters."}},
    403: {"detail": {"error": "URL is not supported"}},
    429: {"detail": {"error": "Your request has been blocked due to excessive requests."}},
    432: {"detail": {"error": "This request exceeds your plan's set usage limit."}},
    433: {"detail": {"error": "This request exceeds the pay-as-you-go limit."}},
    500: {"detail": {"error": "Internal Server Error"}},
}


@dataclass(slots=True)
class TavilyServer(FarEnd):
    """What was asked, and what to answer."""

    key: str = "tvly-test"
    pages: list[dict[str, Any]] = field(default_factory=list)
    by_query: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Pages for certain queries; all others find `pages`."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the searches."""
    status: int = 200
    malformed: bool = False
    stall: float = 0.0
    """Seconds for which it sits on each search."""
    fails: Callable[[int], bool] | None = None
    """Tells by its number whether a search fails."""

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return Reply(401, ERRORS[401])
        self.requests.append(request.body)
        self.over.wait(self.stall)
        if self.fails is not None and self.fails(len(self.requests)):
            return Reply(500, ERRORS[500])
        if self.status != 200:
            return Reply(self.status, ERRORS[self.status])
        if self.malformed:
            return Reply(200, {"nothing": "of use"})
        wants_text = bool(request.body.get("include_raw_content"))
        pages = self.by_query.get(request.body["query"], self.pages)
        results = [page if wants_text else {**page, "raw_content": None} for page in pages]
        results = results[: request.body.get("max_results", 5)]
        return Reply(200, {"query": request.body["query"], "results": results, "images": [], "response_time": 0.1})


def tavily_server(*pages: dict[str, Any]) -> AbstractContextManager[TavilyServer]:
    return served(TavilyServer(pages=list(pages)))


def search_there(server: TavilyServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", server.key)
    monkeypatch.setenv("TAVILY_BASE_URL", server.base_url)
    forget_settings()
    forget_web()


def page(url: str, title: str, text: str | None, snippet: str = "", published: str | None = None) -> dict[str, Any]:
    return {
        "url": url,
        "title": title,
        "content": snippet or (text or "")[:200],
        "raw_content": text,
        "score": 0.9,
        "published_date": published,
    }
