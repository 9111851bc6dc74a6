"""Readers that operators run, on loopback: crawl4ai and Firecrawl, answering as their documentation says, and failing as they do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.http import Reply, Request, serving

KEY = "key-of-a-reader"
Protocol = Literal["crawl4ai", "firecrawl"]
PATHS: dict[Protocol, str] = {"crawl4ai": "/crawl", "firecrawl": "/v2/scrape"}


@dataclass(slots=True)
class ReaderService:
    """What it was asked, and what it answers."""

    protocol: Protocol
    address: str = ""
    html: str = ""
    """What it makes of every page."""
    status: int = 200
    """Of the page, as the reader found it."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    """Header names in title case."""
    reply: Reply | None = None
    """Instead of the answer."""

    @property
    def urls(self) -> list[str]:
        """The pages that were asked for."""
        return [body["urls"][0] if self.protocol == "crawl4ai" else body["url"] for body in self.asked]

    def answer(self, request: Request) -> Reply:
        """Answer as the original does."""
        self.asked.append(request.body)
        self.headers.append(request.headers)
        if self.reply is not None:
            return self.reply
        if not re.fullmatch(PATHS[self.protocol], request.path):
            return Reply(404, {"detail": "Not Found"})
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return Reply(401, {"detail": "Authentication required"})
        return Reply(body=self._crawled() if self.protocol == "crawl4ai" else self._scraped())

    def _crawled(self) -> dict[str, Any]:
        url = self.asked[-1]["urls"][0]
        opened = self.status < 400
        page = {
            "url": url, "html": self.html, "cleaned_html": self.html, "success": opened, "status_code": self.status,
            "error_message": "" if opened else "Blocked by\nthe site", "media": {}, "links": {}, "metadata": {"title": "T"},
        }  # fmt: skip
        return {"success": True, "results": [page], "server_processing_time_s": 0.1}

    def _scraped(self) -> dict[str, Any]:
        assert self.asked[-1]["formats"] == ["rawHtml"]
        metadata = {"sourceURL": self.asked[-1]["url"], "statusCode": self.status, "title": "T"}
        if self.status >= 400:
            metadata["error"] = "Blocked by the site"
        return {"success": True, "data": {"rawHtml": self.html, "metadata": metadata}}


@contextmanager
def reader_service(protocol: Protocol, html: str = "") -> Iterator[ReaderService]:
    """Serve until the block ends."""
    service = ReaderService(protocol, html=html)
    with serving(service.answer) as address:
        service.address = address + PATHS[protocol]
        yield service
