"""The web as a run searches it: one search out of several for the whole process, and the pages that it may read."""

import re
from functools import cache

from schemas.context import RunContext
from services.run.errors import BadInput
from services.run.settings import settings
from services.search.duckduckgo import DuckDuckGoSearch
from services.search.failover import FailOver
from services.search.filters import Filters
from services.search.hit import Hit, SearchProvider
from services.search.tavily import TavilySearch

_URL = re.compile(r"https?://[^\s<>\"'，。；！？）】》]+", re.ASCII)
MAX_NAMED = 5
"""Addresses in a question that are read."""


def web_search(context: RunContext) -> list[SearchProvider]:
    """Return the web search that a run's choices ask for: none, or one that fails over from one provider to the next.

    `auto` takes Tavily where there is a key; DuckDuckGo, which needs none, is taken when it is named, and stands in for Tavily.

    Raises:
        BadInput: Tavily was asked for and has no key, or a domain is none.
    """
    wanted = context.search or settings().leadline_search
    key = settings().tavily_api_key
    if wanted == "tavily" and key is None:
        raise BadInput(
            "Search through Tavily was asked for, and TAVILY_API_KEY is not set. Set it, or choose another search: "
            "duckduckgo needs no key."
        )
    names = {"auto": ("tavily", "duckduckgo") if key else (), "tavily": ("tavily",), "duckduckgo": ("duckduckgo",)}
    filters = filters_of(context)
    chosen = names.get(wanted, ())
    if not chosen:
        return []
    return [_web(chosen, key.get_secret_value() if key else "", settings().tavily_base_url, filters)]


def filters_of(context: RunContext) -> Filters:
    """Return what a run's searches and pages keep to.

    Raises:
        BadInput: a domain is none.
    """
    return Filters.of(
        context.include_domains, context.exclude_domains, time_range=context.time_range, kinds=context.exclude_kinds
    )


@cache
def _web(names: tuple[str, ...], key: str, base_url: str | None, filters: Filters) -> SearchProvider:
    """Keep one for the whole process, so that it remembers who rests."""
    seconds = settings().leadline_search_timeout
    providers: dict[str, SearchProvider] = {
        "tavily": TavilySearch(key, base_url, filters=filters, seconds=seconds),
        "duckduckgo": DuckDuckGoSearch(url=settings().leadline_duckduckgo_url, filters=filters, seconds=seconds),
    }
    return FailOver([providers[name] for name in names])


def forget_web() -> None:
    """Forget who rests."""
    _web.cache_clear()


def named_pages(text: str) -> list[Hit]:
    """Return the addresses that a person wrote into a question, as pages still to be read."""
    urls = dict.fromkeys(found.rstrip(".,;:!?)]}") for found in _URL.findall(text))
    return [Hit(url=url, title=url, kind="web", text="", snippet_only=True) for url in list(urls)[:MAX_NAMED]]
