"""What the page's settings ask before a question: what a run takes at each depth, and which searches it can name.

`POST /estimates` takes `{"choices": {…}, "locale": "en-US"}`, with the choices as of a run; the depth among them does not count.
`GET /searches` lists the searches of the web, and what each still needs.
"""

import asyncio
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from leadline.setup.search_setup import needs_of
from schemas.context import RunContext
from schemas.depth import DEPTHS
from schemas.options import Locale
from services.models.local_endpoint import settled
from services.run.checked_choices import checked_choices
from services.run.errors import BadInput, SettingsError
from services.run.estimate import Estimate, estimate, estimate_figures, shortfall_line
from services.run.roles import OFFLINE, ROLES, role_model
from services.search.web import access_to, filters_of, known_services
from services.search.web_services.service import OWN_CLIENTS

offers = APIRouter()


class EstimateRequest(BaseModel, extra="forbid"):
    """Choices and language of a requested estimate."""

    choices: dict[str, Any] = Field(default_factory=dict, max_length=100)
    """Fields of `RunContext`."""
    locale: Locale = "en-US"


class AtDepth(Estimate):
    """An estimate, with its words."""

    figures: str
    """What it takes."""
    shortfall: str
    """What a limit leaves out; empty where none does."""
    models: list[str]
    """Names of the models that are asked, the writer's first; none without a model."""


@offers.post("/estimates")
async def at_each_depth(request: EstimateRequest) -> list[AtDepth]:
    """Return what a run with these choices takes at each depth, the quickest first. 422: a choice is impossible."""
    choices = {name: value for name, value in request.choices.items() if name not in {"depth", "deep_research"}}
    try:
        made = [await estimate(checked_choices({**choices, "depth": depth})) for depth in DEPTHS]
        chosen = checked_choices(request.choices)
        filters_of(chosen)  # refuses what is no domain
        models = await _models(chosen)
    except (BadInput, SettingsError) as error:
        raise HTTPException(422, str(error)) from None
    return [
        AtDepth(
            **estimate.model_dump(),
            figures=estimate_figures(estimate, request.locale),
            shortfall=shortfall_line(estimate, request.locale),
            models=models,
        )
        for estimate in made
    ]


async def _models(context: RunContext) -> list[str]:
    """Return the names of a run's models; an endpoint whose model nobody named is asked for it."""
    names: dict[tuple[str, str], str] = {}
    for role in ("reporter", *ROLES):
        with suppress(SettingsError):  # which the run itself reports
            model = role_model(role, context)
            if model.provider != OFFLINE and (model.endpoint, model.name) not in names:
                names[model.endpoint, model.name] = model.name if model.named else (await settled(model)).model
    return list(dict.fromkeys(names.values()))


class SearchOffer(BaseModel):
    """A search of the web."""

    name: str
    title: str
    needs: str
    """The setting of the key or address that the operator has not set; empty where it can be used."""


@offers.get("/searches")
async def offered() -> list[SearchOffer]:
    """List the searches, those that can be used first."""
    return sorted(await asyncio.to_thread(_offers), key=lambda offer: bool(offer.needs))


def _offers() -> list[SearchOffer]:
    names = [*OWN_CLIENTS, *known_services()]
    return [SearchOffer(name=name, title=needs_of(name).title, needs=_missing(name)) for name in names]


def _missing(name: str) -> str:
    access, needs = access_to(name), needs_of(name)
    if needs.key_setting and not access.key:
        return needs.key_setting
    return needs.address_setting if needs.address_setting and not access.address else ""
