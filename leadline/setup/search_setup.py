"""The web searches: those that `leadline init` offers, with what they need, and the test of each used one with one query for `leadline doctor`."""

import asyncio
import time
from collections.abc import Collection, Iterable
from typing import NamedTuple, get_args

from leadline.setup import BROKEN, NOTE, OK, Check
from schemas.evidence import StepKind
from services.run.errors import LeadlineError, problem_text
from services.run.settings import settings
from services.run.ui_text import say, spoken_locale
from services.search.web import BESIDE, access_to, known_services, provider_of, set_up, side_by_side, whole_web
from services.search.web_services.service import OWN_CLIENTS

MAX_RESULTS = 3
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
    titles = say("both").join(needs_of(name).title for name in papers)
    return {
        **{name: _words(needs_of(name)) for name in ("tavily", *opened, "duckduckgo")},
        **({BESIDE.join(papers): say("init_papers", titles=titles)} if papers else {}),
        "documents": say("init_documents"),
    }


def _words(needs: Needs) -> str:
    settings = {"init_its_address": needs.address_setting, "init_a_key": needs.key_setting}
    wanted = say("both").join(say(key) for key, setting in settings.items() if setting)
    return say("init_needs", title=needs.title, wanted=wanted) if wanted else say("init_no_key", title=needs.title)


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


async def searches() -> list[Check]:
    """Test the searches of `LEADLINE_SEARCH`, and those of the whole web that are set up; no others are reached."""
    try:
        names = await asyncio.to_thread(lambda: [*OWN_CLIENTS, *known_services()])
        used = await asyncio.to_thread(_used)
    except LeadlineError:  # the check of LEADLINE_SEARCH reports the error
        return []
    opened = [name for name in whole_web() if set_up(name)]
    return list(await asyncio.gather(*(_checked(name, name in opened, name in used) for name in names)))


def _used() -> set[str]:
    kinds: tuple[StepKind, ...] = get_args(StepKind)
    return {name for kind in kinds for group in side_by_side(settings().leadline_search, kind) for name in group}


async def _checked(name: str, opened: bool, used: bool) -> Check:
    if not (opened or used):
        return Check(area="search", name=name, state=NOTE, found=say("doctor_not_used"), remedy=_remedy(name))
    wanted = opened or settings().leadline_search != "auto"  # `auto` may omit searches that need no key
    begun = time.monotonic()
    try:
        provider = await asyncio.to_thread(provider_of, access_to(name))
        hits = await provider.search(PROBE, MAX_RESULTS)
    except LeadlineError as error:
        return Check(
            area="search", name=name, state=BROKEN if wanted else NOTE, found=problem_text(error, spoken_locale())
        )
    seconds = time.monotonic() - begun
    return Check(
        area="search", name=name, state=OK, found=say("doctor_answers", count=len(hits), seconds=f"{seconds:.1f}")
    )


def _remedy(name: str) -> str:
    if name == "tavily":
        return say("doctor_set_this", what="TAVILY_API_KEY")
    if name == "duckduckgo":
        return say("doctor_no_key", search=name)
    service, access = known_services()[name], access_to(name)
    if missing := service.missing(access.key, access.address):
        return say("doctor_set_this", what=missing)
    return say("doctor_no_key" if service.key != "needed" else "doctor_name_it", search=name)
