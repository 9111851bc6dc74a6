"""`GET /searches`: the searches of the web that a run can name, and what each still needs, for the form of the settings."""

import asyncio

from fastapi import APIRouter
from pydantic import BaseModel

from leadline.setup.search_setup import needs_of
from services.search.choice import access_to, known_services
from services.search.web_services.service import DUCKDUCKGO

searches = APIRouter()


class SearchOffer(BaseModel):
    """A search of the web."""

    name: str
    title: str
    needs: str
    """The setting of the key or address that the operator has not set; empty where it can be used."""


@searches.get("/searches")
async def offered() -> list[SearchOffer]:
    """List the searches, those that can be used first."""
    return sorted(await asyncio.to_thread(_offers), key=lambda offer: bool(offer.needs))


def _offers() -> list[SearchOffer]:
    names = [DUCKDUCKGO, *known_services()]
    return [SearchOffer(name=name, title=needs_of(name).title, needs=_missing(name)) for name in names]


def _missing(name: str) -> str:
    access, needs = access_to(name), needs_of(name)
    if needs.key_setting and not access.key:
        return needs.key_setting
    return needs.address_setting if needs.address_setting and not access.address else ""
