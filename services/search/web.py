"""A run's web access: its choice of searches, such as `auto` or `tavily+openalex`, cached for the whole process, and the pages that it may read.

`tavily+openalex` asks both side by side; `brave|duckduckgo` asks the second when the first fails, which then pauses, and binds tighter.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from schemas.context import RunContext
from schemas.evidence import StepKind
from schemas.options import SEARCH_WORDS
from services.run.errors import BadInput, SearchError, SearchRefused, SettingsError
from services.run.log import WARNING, log
from services.run.settings import secret_named, settings
from services.run.ui_text import told
from services.sandbox.slots import Slots
from services.search.duckduckgo import DuckDuckGoSearch
from services.search.filters import ANYTHING, Filters
from services.search.hit import Hit, SearchProvider
from services.search.tavily import TavilySearch
from services.search.web_services.client import ServiceSearch
from services.search.web_services.service import OWN_CLIENTS, Service, services
from services.text.dates import first_day, last_day

MAX_FAILURES = 3
"""Consecutive failures after which a provider pauses."""
REST_SECONDS = 60.0
"""Length of a pause."""


@dataclass(slots=True)
class _State:
    turns: Slots
    failures: int = 0
    """Number of consecutive failures."""
    rests_until: float = 0.0
    reason: str = ""
    """Message of its last failure; later searches report it while the provider pauses."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Result of a search, and the searches that failed before it."""

    hits: list[Hit]
    failed: dict[str, str]
    """Reason of each failed search, by its name."""


class FailOver:
    """Asks providers in order until one answers; keep one for the whole process, so that it remembers paused providers.

    A provider pauses after several consecutive failures, and at once if it refuses the key or reports a limit. An empty
    answer is valid. The choice of a provider depends only on the order, the failures so far and the clock.
    """

    def __init__(
        self, providers: Sequence[SearchProvider], *, at_once: int = 4, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take providers with different names, the preferred one first, each of which is asked `at_once` in so many searches."""
        self.providers = list(providers)
        self.name = "|".join(provider.name for provider in self.providers)
        self._clock = clock
        self._states = {provider.name: _State(Slots(at_once)) for provider in self.providers}

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Return the results of the first provider that answers.

        Raises:
            SearchError: no provider answers; the message gives the reason of each.
        """
        return (await self.answer(query, limit)).hits

    async def answer(self, query: str, limit: int) -> Answered:
        """Return the results and the providers that failed before.

        Raises:
            SearchError: no provider answers; the message gives the reason of each.
        """
        reasons: list[tuple[str, SearchError]] = []
        for provider in self.providers:
            try:
                hits = await self._ask(provider, query, limit)
            except SearchError as error:
                reasons.append((provider.name, error))
                continue
            for name, reason in reasons:
                log("search_instead", WARNING, asked=name, answered=provider.name, error=type(reason).__name__)
            with_provider = [hit.model_copy(update={"found_by": provider.name}) for hit in hits]
            return Answered(with_provider, {name: str(reason) for name, reason in reasons})
        if len(reasons) == 1:
            raise reasons[0][1]
        raise SearchError(**told("searches_silent", reasons=" ".join(f"{name}: {reason}" for name, reason in reasons)))

    async def _ask(self, provider: SearchProvider, query: str, limit: int) -> list[Hit]:
        state = self._states[provider.name]
        async with state.turns.held():
            # Checked only here: while this search waited for its turn, another search may have failed.
            if state.rests_until > self._clock():
                raise SearchError(state.reason)
            try:
                hits = await provider.search(query, limit)
            except SearchError as error:
                state.failures += 1
                if isinstance(error, SearchRefused) or state.failures >= MAX_FAILURES:
                    state.rests_until = self._clock() + REST_SECONDS
                    state.reason = str(error)
                raise
        state.failures = 0
        return hits


BESIDE, ELSE = "+", "|"
MAX_SIDE_BY_SIDE = 12
"""Maximum number of parallel searches in a choice."""
_URL = re.compile(r"https?://[^\s<>\"'，。；！？）】》]+", re.ASCII)
MAX_NAMED = 5
"""Maximum addresses in a question that are read."""


@dataclass(frozen=True, slots=True)
class Access:
    """Key and address of a search; empty if there is none."""

    name: str
    key: str = field(repr=False)
    address: str = field(repr=False)


def known_services() -> Mapping[str, Service]:
    """Return the records of services by name: the built-in records, and those of the operator's file. Blocking when called first.

    Raises:
        SettingsError: the operator's file cannot be used.
    """
    try:
        return services(settings().leadline_search_services)
    except BadInput as error:
        raise SettingsError(**told("search_services", problem=error)) from None


def known_names() -> list[str]:
    """Return the names that a choice may contain."""
    return [*SEARCH_WORDS, *OWN_CLIENTS, *known_services()]


def access_to(name: str) -> Access:
    """Return the key and address of a search from the environment."""
    if name in OWN_CLIENTS:
        key, address = (settings().tavily_api_key, settings().tavily_base_url) if name == "tavily" else (None, None)
        return Access(name, key.get_secret_value() if key else "", address or "")
    service = known_services()[name]
    key, own = (secret_named(setting) for setting in (service.key_setting, service.address_setting))
    return Access(name, key.get_secret_value() if key else "", own.get_secret_value() if own else "")


def side_by_side(wanted: str, kind: StepKind = "general") -> list[tuple[str, ...]]:
    """Return the searches that a choice asks in parallel: the first working one of each group. Empty: the web is not searched.

    Raises:
        BadInput: a search does not exist, or there are too many.
    """
    if wanted == "auto":
        return _automatic(kind)
    if wanted in SEARCH_WORDS:
        return []
    groups = [tuple(dict.fromkeys(map(str.strip, group.split(ELSE)))) for group in wanted.split(BESIDE)]
    names = known_names()
    for name in (name for group in groups for name in group):
        if name in SEARCH_WORDS:
            raise BadInput(**told("search_word", name=name, wanted=wanted))
        if name not in names:
            raise BadInput(
                **told("search_unknown", name=name[:60], names=", ".join(names), beside=BESIDE, otherwise=ELSE)
            )
    chosen = list(dict.fromkeys(groups))
    if len(chosen) > MAX_SIDE_BY_SIDE:
        raise BadInput(**told("search_many", count=len(chosen), limit=MAX_SIDE_BY_SIDE))
    return chosen


def set_up(name: str) -> bool:
    """Tell whether the required key or address of a search is set."""
    access = access_to(name)
    if name in OWN_CLIENTS:
        return bool(access.key)
    service = known_services()[name]
    opened = bool(access.address) if service.address_setting else service.key == "needed"
    return opened and not service.missing(access.key, access.address)


def whole_web() -> list[str]:
    """Return the searches of the whole web that are set up for `auto`."""
    return ["tavily", *(name for name, service in known_services().items() if "general" in service.kinds)]


def _automatic(kind: StepKind) -> list[tuple[str, ...]]:
    """Return the searches of the whole web that are set up, and the searches that fit the kind of source.

    Without a search of the whole web the result is empty, so that only chosen services are reached; keys with other
    purposes, such as GitHub's, do not enable web searches.
    """
    opened = [name for name in whole_web() if set_up(name)]
    if not opened:
        return []
    fitting = [
        name
        for name, service in known_services().items()
        if kind in service.kinds and (set_up(name) or not (service.key == "needed" or service.address_setting))
    ]
    return [
        (opened[0], "duckduckgo"),
        *((name,) for name in dict.fromkeys([*opened[1:], *fitting]) if name != opened[0]),
    ]


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
        raise SettingsError(**told("search_setting", problem=error)) from None
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
            raise BadInput(**told("search_no_key", title="Tavily"))
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
