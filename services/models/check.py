"""Checking the models: what each role will use, and what is wrong with it, found with one tiny call an endpoint and model."""

import asyncio
from typing import Any, Literal

from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from schemas.context import RunContext
from services.errors import LeadlineError
from services.models.chat import build
from services.models.dialects import as_tool, response_format
from services.models.exchange import QUIET
from services.models.prices import Price, price_of
from services.models.roles import OFFLINE, ROLES, RoleModel, role_model
from services.models.wire import Refused, TooLong, call

MOST_TOKENS = 200
"""Of the answer; enough for a model that thinks before a word."""


class Ready(BaseModel):
    """The answer that is asked for."""

    ready: bool


class RoleCheck(BaseModel):
    """What a role will use, and how its endpoint answered."""

    role: str
    model: str
    endpoint: str
    temperature: float | None
    max_tokens: int
    price: Price | None
    """None where nobody knows it."""
    json_schema: bool | None = None
    """Whether the endpoint takes a JSON schema; None where it was not asked."""
    tools: bool | None = None
    """Whether it takes function calls."""
    problem: str = ""
    """What is wrong, and what to do; empty when the model can be used."""


async def check_models(context: RunContext) -> list[RoleCheck]:
    """Check the model of every role, each model once."""
    settled: dict[str, RoleModel | LeadlineError] = {}
    for role in ROLES:
        try:
            settled[role] = role_model(role, context)
        except LeadlineError as error:
            settled[role] = error
    models = {_key(one): one for one in settled.values() if isinstance(one, RoleModel)}
    answers = dict(zip(models, await asyncio.gather(*(_probe(one) for one in models.values())), strict=True))
    return [await _row(role, one, answers) for role, one in settled.items()]


def _key(model: RoleModel) -> tuple[str, str]:
    return model.endpoint, model.model


async def _row(
    role: str, model: RoleModel | LeadlineError, answers: dict[tuple[str, str], dict[str, Any]]
) -> RoleCheck:
    if isinstance(model, LeadlineError):
        return RoleCheck(
            role=role, model="?", endpoint="?", temperature=None, max_tokens=0, price=None, problem=str(model)
        )
    return RoleCheck(
        role=role,
        model=model.name,
        endpoint=model.endpoint,
        temperature=model.temperature,
        max_tokens=model.max_tokens,
        price=await price_of(model),
        **answers[_key(model)],
    )


async def _probe(model: RoleModel) -> dict[str, Any]:
    """Ask for JSON schema and tools in one call; only what refuses that is asked for each alone."""
    if model.provider == OFFLINE:
        return {}
    try:
        if await _answers(model, "both"):
            return {"json_schema": True, "tools": True}
        found = {"json_schema": await _answers(model, "schema"), "tools": await _answers(model, "tools")}
        if not any(found.values()):
            await _answers(model, "neither", reraise=True)
    except LeadlineError as error:
        return {"problem": str(error)}
    return dict(found)


async def _answers(
    model: RoleModel, form: Literal["both", "schema", "tools", "neither"], *, reraise: bool = False
) -> bool:
    messages = [SystemMessage("You are being tested."), HumanMessage('Answer with {"ready": true}.')]
    shape = response_format(Ready) if form in {"both", "schema"} and model.provider in {"openai", "ollama"} else None
    try:
        chat = build(model, MOST_TOKENS, response_format=shape)
        await call(model, chat.bind_tools([as_tool(Ready)]) if form in {"both", "tools"} else chat, messages, QUIET)
    except Refused as refused:
        if reraise:
            raise refused.error from None
        return False
    except TooLong:
        return True
    return True
