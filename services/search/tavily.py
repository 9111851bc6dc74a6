"""Web search through Tavily's own async client."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import httpx
from tavily import AsyncTavilyClient, errors

from services.run.errors import SearchError, SearchRefused
from services.run.secrecy import without_secrets_in
from services.run.ui_text import told
from services.search.filters import Filters
from services.search.hit import Hit
from services.search.pages.fetch import tls_context
from services.text.normal_form import normalise_text

MAX_RESULTS = 20
"""Maximum results of one call of Tavily."""
MAX_QUERY = 400
"""Maximum characters of a query to Tavily."""


class TavilySearch:
    """Searches the web; hits have page texts if Tavily provides them, else snippets."""

    name = "tavily"

    def __init__(
        self,
        key: str,
        base_url: str | None = None,
        *,
        filters: Filters | None = None,
        seconds: float = 12.0,
    ) -> None:
        """Create a search without sending a request; `seconds` is the time limit of one search."""
        self._key = key
        self._base_url = base_url
        self._filters = filters or Filters()
        self._seconds = seconds

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` pages, best first.

        Raises:
            SearchRefused: the key was refused or a limit was reached.
            SearchError: the service failed, was not reached or sent an invalid answer.
        """
        async with self._client() as client:
            answer = await client.search(
                query[:MAX_QUERY],
                max_results=min(limit, MAX_RESULTS),
                include_raw_content="markdown",
                include_domains=list(self._filters.only) or None,
                exclude_domains=list(self._filters.never) or None,
                time_range=self._filters.range_at(datetime.now(UTC).date()),
                timeout=self._seconds,
            )
        results = await asyncio.to_thread(without_secrets_in, answer.get("results"))
        if not isinstance(results, list) or (not results and "query" not in answer):
            raise SearchError(**told("tavily_no_results"))
        hits = [hit for item in results if isinstance(item, dict) and (hit := _hit(item)) is not None]
        return [hit for hit in hits if self._filters.permit(hit.url)][:limit]

    @asynccontextmanager
    async def _client(self) -> "AsyncIterator[AsyncTavilyClient]":
        """Yield a client for one call, and convert its errors to SearchError."""
        try:
            tls = await asyncio.to_thread(tls_context)  # one for the process: each that is made reads all certificates
            async with (
                asyncio.timeout(self._seconds),  # the client's own limit is for each read, this one for the whole call
                httpx.AsyncClient(verify=tls) as http,
                AsyncTavilyClient(api_key=self._key, api_base_url=self._base_url, client=http) as client,
            ):
                yield client
        except Exception as error:  # noqa: BLE001 - the client raises what it likes; each becomes a SearchError that says what to do
            raise _as_search_error(error) from None


def _hit(item: dict[str, Any]) -> Hit | None:
    url = str(item.get("url") or "")
    whole, snippet = normalise_text(str(item.get("raw_content") or "")), normalise_text(str(item.get("content") or ""))
    if not url.startswith(("http://", "https://")) or not (whole or snippet):
        return None
    return Hit(
        url=url,
        title=" ".join(str(item.get("title") or url).split())[:300],
        kind="web",
        text=whole or snippet,
        snippet_only=not whole,
        published=str(item["published_date"]) if item.get("published_date") else None,
    )


def _as_search_error(error: Exception) -> SearchError:
    refusals = {
        errors.InvalidAPIKeyError: "tavily_key",
        errors.MissingAPIKeyError: "tavily_no_key",
        errors.ForbiddenError: "tavily_forbids",
        errors.UsageLimitExceededError: "tavily_limit",
    }
    for kind, key in refusals.items():
        if isinstance(error, kind):
            return SearchRefused(**told(key))
    match error:
        case errors.TimeoutError() | TimeoutError():
            return SearchError(**told("tavily_late"))
        case errors.BadRequestError():
            return SearchError(**told("search_query", title="Tavily"))
        case httpx.HTTPStatusError():
            return SearchError(**told("tavily_failed", status=error.response.status_code))
        case httpx.TransportError():
            return SearchError(**told("tavily_unreached"))
        case json.JSONDecodeError() | UnicodeDecodeError() | AttributeError():
            return SearchError(**told("tavily_malformed"))
    return SearchError(**told("tavily_error", error=type(error).__name__))
