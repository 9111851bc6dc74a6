"""The web as a run searches it: searches side by side, each kept for the whole process, and the pages that it may read."""

import re
from functools import cache

from schemas.context import RunContext
from schemas.evidence import StepKind
from services.run.errors import BadInput, SettingsError
from services.run.settings import settings
from services.search.choice import Access, access_to, forget_services, known_services, side_by_side
from services.search.duckduckgo import DuckDuckGoSearch
from services.search.failover import FailOver
from services.search.filters import Filters
from services.search.hit import Hit, SearchProvider
from services.search.tavily import TavilySearch
from services.search.web_services.client import ServiceSearch

_URL = re.compile(r"https?://[^\s<>\"'，。；！？）】》]+", re.ASCII)
MAX_NAMED = 5
"""Addresses in a question that are read."""


def web_search(context: RunContext, kind: StepKind = "general") -> list[SearchProvider]:
    """Return the searches of the web that a run's choices ask for, each failing over to the next where there is one. Blocking.

    Args:
        context: the run's choices.
        kind: kind of source that is looked for, by which `auto` chooses.

    Raises:
        BadInput: there is no search of a name, one lacks its key or address, or a domain is none.
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
    """Return what a run's searches and pages keep to.

    Raises:
        BadInput: a domain is none.
    """
    return Filters.of(
        context.include_domains, context.exclude_domains, time_range=context.time_range, kinds=context.exclude_kinds
    )


@cache
def _web(accesses: tuple[Access, ...], filters: Filters) -> SearchProvider:
    """Keep one for the whole process, so that it remembers who rests."""
    return FailOver([provider_of(access, filters) for access in accesses])


def provider_of(access: Access, filters: Filters | None = None) -> SearchProvider:
    """Return a search of the web.

    Raises:
        BadInput: its key or its address is missing or cannot be used; the message names the setting.
    """
    seconds = settings().leadline_search_timeout
    if access.name == "duckduckgo":
        return DuckDuckGoSearch(url=settings().leadline_duckduckgo_url, filters=filters, seconds=seconds)
    if access.name == "tavily":
        if not access.key:
            raise BadInput(
                "Search through Tavily was asked for, and TAVILY_API_KEY is not set. Set it, or choose another search: "
                "duckduckgo needs no key.",
                page="Search through Tavily was asked for, and this server has no key for it. Choose another under “Where to "
                "search” in the settings: duckduckgo needs no key.",
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
    """Forget who rests, and the operator's services."""
    _web.cache_clear()
    forget_services()


def named_pages(text: str) -> list[Hit]:
    """Return the addresses that a person wrote into a question, as pages still to be read."""
    urls = dict.fromkeys(found.rstrip(".,;:!?)]}") for found in _URL.findall(text))
    return [Hit(url=url, title=url, kind="web", text="", snippet_only=True) for url in list(urls)[:MAX_NAMED]]
