"""The part of `leadline doctor` for web searches: tests each used search with one query, and lists the others."""

import asyncio
import time
from typing import get_args

from leadline.setup.check import BROKEN, NOTE, OK, Check
from leadline.setup.search_setup import PROBE
from schemas.evidence import StepKind
from services.run.errors import LeadlineError
from services.run.settings import settings
from services.search.choice import access_to, known_services, set_up, side_by_side, whole_web
from services.search.web import provider_of
from services.search.web_services.service import OWN_CLIENTS

MAX_RESULTS = 3
NEEDS = {"tavily": "Set TAVILY_API_KEY", "duckduckgo": "It needs no key: --search duckduckgo"}


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
    """Return the searches of a run without choices. Blocking."""
    kinds: tuple[StepKind, ...] = get_args(StepKind)
    return {name for kind in kinds for group in side_by_side(settings().leadline_search, kind) for name in group}


async def _checked(name: str, opened: bool, used: bool) -> Check:
    if not (opened or used):
        return Check(area="search", name=name, state=NOTE, found="not used", remedy=_remedy(name))
    wanted = opened or settings().leadline_search != "auto"  # `auto` may omit searches that need no key
    begun = time.monotonic()
    try:
        provider = await asyncio.to_thread(provider_of, access_to(name))
        hits = await provider.search(PROBE, MAX_RESULTS)
    except LeadlineError as error:
        return Check(area="search", name=name, state=BROKEN if wanted else NOTE, found=str(error))
    seconds = time.monotonic() - begun
    return Check(area="search", name=name, state=OK, found=f"answers: {len(hits)} results in {seconds:.1f} s")


def _remedy(name: str) -> str:
    """Return how to enable a search."""
    if name in NEEDS:
        return NEEDS[name]
    service, access = known_services()[name], access_to(name)
    if missing := service.missing(access.key, access.address):
        return f"Set {missing}"
    return f"It needs no key: --search {name}" if service.key != "needed" else f"Name it: --search {name}"
