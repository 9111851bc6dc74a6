"""Routes to the model that a person connects in the page; its key is held in this process's memory, and is never shown.

GET    /model   which model writes, and whether one can be connected here
POST   /model   try a model out and connect it: `{"endpoint": "http://…", "key": "…", "model": "…"}`
DELETE /model   end that connection

Only where everybody who reaches the server is its operator: without tokens, thus on its own machine, from its own page, in its one
process. What the operator sets in the environment comes first, and nothing is connected beside it.
"""

import asyncio
from typing import Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, HTTPException, Request
from pydantic import BaseModel, SecretStr

from leadline.server.api_client import on_aegra
from leadline.server.auth import RULES
from leadline.setup.env_file import PROVIDERS
from leadline.setup.model_setup import checked_models, local_servers
from services.run.endpoints import Connection, connect, connection, operator_has_model, tried_out
from services.run.errors import SettingsError
from services.run.roles import named_provider
from services.run.settings import clean_key

SECONDS = 60.0
"""Maximum seconds for trying a model out."""
MAX_LENGTH = 2_000
"""Characters of an address, a key or a name."""

model_connection = APIRouter()


class Offer(BaseModel):
    """An endpoint to choose from."""

    title: str
    endpoint: str


class Connectable(BaseModel):
    """Whether a model can be connected in the page."""

    connected: bool
    """Whether one is."""
    refused: Literal["", "shared", "operator"]
    """Why none can be: the server is shared, or its operator has set a model up."""
    offers: list[Offer]


class ModelForm(BaseModel, extra="forbid"):
    """A model as a person typed it."""

    endpoint: str = ""
    """Empty for OpenAI itself."""
    key: str = ""
    model: str = ""
    """Empty for the one that the endpoint lists."""


async def _refused() -> Literal["", "shared", "operator"]:
    if RULES.accounts or on_aegra():
        return "shared"
    return "operator" if await asyncio.to_thread(operator_has_model) else ""


async def _from_own_page(request: Request) -> None:
    """Refuse what is not of this server's own page, and where nothing can be connected."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise HTTPException(403, "A model can only be connected in this server's own page.")
    if refused := await _refused():
        raise HTTPException(403, _WHY[refused])


_WHY = {
    "shared": "This server is shared, so its operator connects the model, with: leadline init",
    "operator": "The operator of this server has set up the model. To change it, run: leadline init",
}


@model_connection.get("/model")
async def connectable() -> Connectable:
    """Tell whether a model can be connected here, and offer endpoints: of servers on this machine, then of known providers."""
    refused = await _refused()
    servers = [] if refused else await local_servers()
    known = [provider for provider in PROVIDERS.values() if provider.endpoint]
    offers = [
        *(Offer(title=f"{server.title}: {server.names()}", endpoint=server.base_url) for server in servers),
        *(Offer(title=provider.title, endpoint=provider.endpoint) for provider in known),
    ]
    return Connectable(connected=connection() is not None, refused=refused, offers=[] if refused else offers)


@model_connection.post("/model", status_code=204, dependencies=[Depends(_from_own_page)])
async def connect_model(form: ModelForm, request: Request) -> None:
    """Try a model out with one small call, and use it for every run from now on, if whoever asked still waits. 422: what is wrong, and what to do."""
    typed = _typed(form)
    left = asyncio.ensure_future(request.receive())  # behind the body only the end of the connection comes
    try:
        with tried_out(typed):
            async with asyncio.timeout(SECONDS):
                checks = await checked_models()
    except TimeoutError:
        raise HTTPException(422, f"The model did not answer within {SECONDS:.0f} seconds.") from None
    finally:
        gone = left.done()
        left.cancel()
    if problems := [check.problem for check in checks if check.problem]:
        raise HTTPException(422, problems[0])
    if not gone:
        connect(Connection(typed.base_url, typed.api_key, checks[0].model))


@model_connection.delete("/model", status_code=204, dependencies=[Depends(_from_own_page)])
async def disconnect_model() -> None:
    """End the connection; runs have no model then."""
    connect(None)


def _typed(form: ModelForm) -> Connection:
    """Check what was typed."""
    endpoint, key, model = (text.strip() for text in (form.endpoint, form.key, form.model))
    if max(len(endpoint), len(key), len(model)) > MAX_LENGTH:
        raise HTTPException(422, f"An address, a key or a name has at most {MAX_LENGTH:,} characters.")
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise HTTPException(422, "The endpoint is not an address. Write it as https://api.example.com/v1.")
    if not endpoint and not key:
        raise HTTPException(422, "Enter an OpenAI key, or the address of another endpoint.")
    if model and named_provider(model)[0] != "openai":
        raise HTTPException(422, f"{model} is called through a package of its provider. Connect it with: leadline init")
    try:
        key = clean_key("OPENAI_API_KEY", key)
    except SettingsError:
        raise HTTPException(422, "The key contains a character that keys do not have. Copy it again.") from None
    return Connection(endpoint or None, SecretStr(key) if key else None, model)
