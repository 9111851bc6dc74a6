"""Web search through Tavily's own async client."""

from typing import Any

from services.errors import SearchError
from services.evidence.store import normalise_text
from services.search.hit import Hit


class TavilySearch:
    """Searches the web; pages come with their text where Tavily offers it, else as snippets."""

    name = "tavily"

    def __init__(self, key: str, base_url: str | None = None) -> None:
        self._key = key
        self._base_url = base_url

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` pages, best first.

        Raises:
            SearchError: the key was refused, a limit was reached, or the service failed.
        """
        from tavily import AsyncTavilyClient

        try:
            async with AsyncTavilyClient(api_key=self._key, api_base_url=self._base_url) as client:
                answer = await client.search(query[:400], max_results=min(limit, 10), include_raw_content="markdown")
        except Exception as error:  # noqa: BLE001 - the client raises what it likes; each becomes a SearchError that says what to do
            raise _as_search_error(error) from None
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise SearchError("Tavily's answer has no results in it: it is malformed. Check TAVILY_BASE_URL.")
        return [hit for item in results if isinstance(item, dict) and (hit := _hit(item)) is not None]


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
    from tavily import errors

    advice = {
        errors.InvalidAPIKeyError: "Tavily rejected the key. Check TAVILY_API_KEY.",
        errors.MissingAPIKeyError: "Tavily needs a key. Set TAVILY_API_KEY.",
        errors.ForbiddenError: "Tavily refused the search: a usage limit or a restriction of the account. Check its plan.",
        errors.UsageLimitExceededError: "Tavily's usage limit is reached. Wait, or check the plan of the account.",
        errors.TimeoutError: "Tavily did not answer in time. Check the network or TAVILY_BASE_URL.",
    }
    for kind, text in advice.items():
        if isinstance(error, kind):
            return SearchError(text)
    return SearchError(f"Tavily's search failed ({type(error).__name__}). Check the network and TAVILY_BASE_URL.")
