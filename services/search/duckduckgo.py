"""Web search without a key: DuckDuckGo's HTML pages, queried and parsed by ddgs.

ddgs mixes engines at random and reports a refusal as "nothing found"; so its DuckDuckGo engine is used directly, and
the answer's status is checked. Results are addresses and snippets; `pages.reader` reads the pages.
"""

import asyncio
import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from services.run.errors import SearchError, SearchRefused
from services.run.ui_text import told
from services.search.filters import ANYTHING, Filters
from services.search.hit import Hit
from services.text.normal_form import normalise_text

if TYPE_CHECKING:
    from ddgs.engines.duckduckgo import Duckduckgo
    from ddgs.results import TextResult

URL = "https://html.duckduckgo.com/html/"
MAX_QUERY = 400
WHOLE_WORLD = "wt-wt"
"""DuckDuckGo's code for results of no particular region."""
_RANGES = {"day": "d", "week": "w", "month": "m", "year": "y"}
_BLOCKED = frozenset({202, 403, 418, 429})
"""DuckDuckGo's status codes for too many requests; 202 comes with a captcha."""


class DuckDuckGoSearch:
    """Searches the web and returns snippets."""

    name = "duckduckgo"

    def __init__(self, *, url: str = URL, filters: Filters = ANYTHING, seconds: float = 12.0) -> None:
        """Create a search without sending a request; `seconds` is the time limit of one search."""
        self._url = url
        self._filters = filters
        self._seconds = seconds

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` pages, best first.

        Raises:
            SearchRefused: DuckDuckGo refuses further searches from this machine for now.
            SearchError: DuckDuckGo failed or was not reached.
        """
        try:
            # The client blocks; its own limit ends the thread, this one the waiting.
            async with asyncio.timeout(self._seconds + 1):
                results = await asyncio.to_thread(self._ask, self._words(query))
        except TimeoutError:
            raise SearchError(**told("duckduckgo_late")) from None
        first: dict[str, Hit] = {}
        for hit in filter(None, map(_hit, results)):
            if self._filters.permit(hit.url):
                first.setdefault(hit.url, hit)
        return list(first.values())[:limit]

    def _words(self, query: str) -> str:
        """Return the query without `!` commands, which redirect to other sites."""
        words = " ".join(filter(None, (word.lstrip("!\\") for word in query[:MAX_QUERY].split())))
        return f"site:{self._filters.only[0]} {words}" if len(self._filters.only) == 1 else words

    def _ask(self, words: str) -> "list[TextResult]":
        """Send a query and parse the answer. Blocking."""
        # In this thread, as the import lists a folder; of what is not yet loaded it needs only lxml and primp
        from ddgs.exceptions import DDGSException, TimeoutException

        try:
            span = self._filters.range_at(datetime.now(UTC).date())
            limit = _RANGES[span] if span else None
            results = _engine(self._url, math.ceil(self._seconds)).search(words, region=WHOLE_WORLD, timelimit=limit)
        except SearchError:
            raise
        except TimeoutException:
            raise SearchError(**told("duckduckgo_late")) from None
        except DDGSException:
            raise SearchError(**told("duckduckgo_unreached")) from None
        except Exception as error:  # noqa: BLE001 - a page of another form makes the parser raise what it likes
            raise SearchError(**told("duckduckgo_unread", error=type(error).__name__)) from None
        return list(results or [])


def _engine(url: str, seconds: int) -> "Duckduckgo":
    """Return ddgs' DuckDuckGo engine, which checks the status, uses no proxy and follows no redirect."""
    from ddgs.engines.duckduckgo import Duckduckgo

    class Plain(Duckduckgo):
        search_url = url

        def request(self, *args: Any, **kwargs: Any) -> str:
            answer = self.http_client.request(*args, **kwargs)
            status = answer.status_code
            text = str(answer.text)
            if status in _BLOCKED or (status == 200 and "anomaly-modal" in text):
                raise SearchRefused(**told("duckduckgo_refuses"))
            if status != 200 or not text.strip():
                raise SearchError(**told("duckduckgo_failed", status=status))
            if "result" not in text:
                raise SearchError(**told("duckduckgo_no_results"))
            return text

    engine = Plain(timeout=seconds)
    # The client takes proxies from the environment unless they are removed afterwards.
    engine.http_client.client.proxy = None
    engine.http_client.client.follow_redirects = False
    return engine


def _hit(result: "TextResult") -> Hit | None:
    url = _target(result.href)
    snippet = normalise_text(result.body)
    if not url.startswith(("http://", "https://")) or not snippet.strip():
        return None
    title = " ".join(result.title.split())[:300] or url
    return Hit(url=url, title=title, kind="web", text=snippet, snippet_only=True)


def _target(href: str) -> str:
    """Return the address of a result; some answers wrap it in DuckDuckGo's own redirect."""
    href = f"https:{href}" if href.startswith("//") else href
    split = urlsplit(href)
    if re.fullmatch(r"(?:[\w-]+\.)*duckduckgo\.com", split.hostname or "") and split.path in {"/l/", "/l"}:
        return parse_qs(split.query).get("uddg", [""])[0]
    return href
