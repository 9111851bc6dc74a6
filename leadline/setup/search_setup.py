"""The web searches offered by `leadline init`, with the requirements from their records."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from services.run.errors import LeadlineError
from services.search.choice import BESIDE, access_to, known_services, side_by_side
from services.search.web import provider_of
from services.search.web_services.service import OWN_CLIENTS

PROBE = "sounding machine"
"""Query for testing a search."""
OF_PAPERS = 2
"""Number of searches of papers that are offered together."""


class Needs(NamedTuple):
    """Requirements of a search."""

    title: str
    key_setting: str = ""
    address_setting: str = ""


def needs_of(name: str) -> Needs:
    """Return the requirements of a search. Blocking when called first."""
    if name in OWN_CLIENTS:
        return Needs("Tavily", key_setting="TAVILY_API_KEY") if name == "tavily" else Needs("DuckDuckGo")
    service = known_services()[name]
    return Needs(
        service.title,
        key_setting=service.key_setting if service.key == "needed" else "",
        address_setting="" if service.address else service.address_setting,
    )


def offers() -> dict[str, str]:
    """Return the choices of `leadline init` by their value of LEADLINE_SEARCH, each with a description. Blocking when called first.

    These are the searches of the whole web that somebody must set up, DuckDuckGo, and the first that find papers without a
    key and tell where their texts are open; `--search` takes all others, too.
    """
    services = known_services()
    general = [name for name, service in services.items() if "general" in service.kinds]
    opened = [name for name in general if needs_of(name).key_setting or needs_of(name).address_setting]
    papers = [
        name
        for name, service in services.items()
        if service.source_kind == "academic" and service.key != "needed" and service.address and service.fields.open_url
    ][:OF_PAPERS]
    titles = " and ".join(needs_of(name).title for name in papers)
    return {
        **{name: _words(needs_of(name)) for name in ("tavily", *opened, "duckduckgo")},
        **({BESIDE.join(papers): f"Only papers: {titles} (no key)"} if papers else {}),
        "documents": "None: only my documents",
    }


def _words(needs: Needs) -> str:
    wanted = " and ".join(
        [*(["its address"] if needs.address_setting else []), *(["a key"] if needs.key_setting else [])]
    )
    return f"{needs.title} ({f'needs {wanted}' if wanted else 'no key'})"


def names_in(wanted: str) -> list[str]:
    """Return the searches in a choice, each once.

    Raises:
        BadInput: a search does not exist.
    """
    return [] if wanted == "auto" else list(dict.fromkeys(name for group in side_by_side(wanted) for name in group))


def set_up_by(settings: Collection[str]) -> list[str]:
    """Return the searches whose key or address is among settings."""
    return [name for name in (*OWN_CLIENTS, *known_services()) if {*needs_of(name)[1:]} & {*settings}]


async def search_problems(names: Iterable[str]) -> list[str]:
    """Test searches with one query each, and return the problems."""
    problems: list[str] = []
    for name in names:
        try:
            await provider_of(access_to(name)).search(PROBE, 1)
        except LeadlineError as error:
            problems.append(str(error))
    return problems
