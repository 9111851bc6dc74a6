"""A run's web access: parallel searches, cached for the whole process, and the pages that the run may read."""

import re
from functools import lru_cache

from schemas.context import RunContext
from schemas.evidence import StepKind
from services.run.errors import BadInput, SettingsError
from services.run.settings import settings
from services.search.choice import Access, access_to, known_services, side_by_side
from services.search.duckduckgo import DuckDuckGoSearch
from services.search.failover import FailOver
from services.search.filters import ANYTHING, Filters
from services.search.hit import Hit, SearchProvider
from services.search.tavily import TavilySearch
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import services
from services.text.dates import first_day, last_day

_URL = re.compile(r"https?://[^\s<>\"'，。；！？）】》]+", re.ASCII)
MAX_NAMED = 5
"""Maximum addresses in a question that are read."""


def web_search(context: RunContext, kind: StepKind = "general") -> list[SearchProvider]:
    """Return the web searches of a run's choices, each with its fallback. Blocking.

    Raises:
        BadInput: a search does not exist or lacks its key or address, or a domain is invalid.
        SettingsError: the same of `LEADLINE_SEARCH`.
    """
    filters = filters_of(context)
    try:
        groups = side_by_side(context.search or settings().leadline_search, kind)
    except BadInput as error:
        if context.search:
            raise
        raise SettingsError(f"LEADLINE_SEARCH cannot be used: {error}") from None
    return [_web(tuple(map(access_to, names)), filters) for names in groups]


def filters_of(context: RunContext) -> Filters:
    """Return the filters of a run's searches and pages.

    Raises:
        BadInput: a domain is invalid.
    """
    return Filters.of(
        context.include_domains,
        context.exclude_domains,
        time_range=context.time_range,
        kinds=context.exclude_kinds,
        after=first_day(context.wishes.after),
        before=last_day(context.wishes.before),
    )


@lru_cache(maxsize=500)
def _web(accesses: tuple[Access, ...], filters: Filters) -> SearchProvider:
    """Cache one per process, so that it remembers paused providers."""
    return FailOver([provider_of(access, filters) for access in accesses])


def provider_of(access: Access, filters: Filters = ANYTHING) -> SearchProvider:
    """Return a search of the web.

    Raises:
        BadInput: the key or the address is missing or cannot be used; the message names the setting.
    """
    seconds = settings().leadline_search_timeout
    if access.name == "duckduckgo":
        return DuckDuckGoSearch(url=settings().leadline_duckduckgo_url, filters=filters, seconds=seconds)
    if access.name == "tavily":
        if not access.key:
            raise BadInput(
                "Search through Tavily was requested, but TAVILY_API_KEY is not set. Set it, or choose another search: "
                "duckduckgo needs no key.",
                page="Search through Tavily was requested, but this server has no key for it. Choose another under “Where to "
                "search” in the settings: DuckDuckGo needs no key.",
            )
        return TavilySearch(access.key, access.address or None, filters=filters, seconds=seconds)
    return ServiceSearch(
        known_services()[access.name],
        access.key or None,
        access.address or None,
        filters=filters,
        seconds=seconds,
        contact=settings().leadline_contact or "",
    )


def forget_web() -> None:
    """Forget paused providers and the operator's services."""
    _web.cache_clear()
    services.cache_clear()


def named_pages(text: str) -> list[Hit]:
    """Return the addresses in a question as pages to read."""
    urls = dict.fromkeys(address.rstrip(".,;:!?)]}") for address in _URL.findall(text))
    return [Hit(url=url, title=url, kind="web", text="", snippet_only=True) for url in list(urls)[:MAX_NAMED]]
