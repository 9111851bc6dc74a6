"""Resolves a run's choice of web searches, such as `auto` or `tavily+openalex`, to providers.

`tavily+openalex` asks both side by side; `brave|duckduckgo` asks the second when the first fails, and binds tighter.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.evidence import StepKind
from schemas.options import SEARCH_WORDS
from services.run.errors import BadInput, SettingsError
from services.run.settings import secret_named, settings
from services.search.web_services.service import OWN_CLIENTS, Service, services

BESIDE, ELSE = "+", "|"
MAX_SIDE_BY_SIDE = 12
"""Maximum number of parallel searches in a choice."""


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
        raise SettingsError(f"LEADLINE_SEARCH_SERVICES cannot be used: {error}") from None


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
            raise BadInput(f"{name!r} already says where to search; {wanted!r} combines it. Name web searches.")
        if name not in names:
            raise BadInput(
                f"There is no search {name[:60]!r}. There are: {', '.join(names)}. Names joined by {BESIDE} are searched side "
                f"by side; with {ELSE}, the next is searched when one fails."
            )
    chosen = list(dict.fromkeys(groups))
    if len(chosen) > MAX_SIDE_BY_SIDE:
        raise BadInput(f"{len(chosen)} searches side by side are too many; at most {MAX_SIDE_BY_SIDE} can be named.")
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
