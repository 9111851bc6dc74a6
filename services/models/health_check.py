"""Checking the models: what each role will use, and what is wrong with it, found with one tiny call an endpoint and model.

They are called as in a run: what an endpoint does not take is left out, and only what a run cannot do without is a problem.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from schemas.context import RunContext
from services.models.chat import build
from services.models.endpoint import learned
from services.models.model_call import QUIET
from services.models.refused_parameters import without_refused
from services.models.structured_output import as_tool, response_format
from services.models.transport import Refused, TooLong, call, status_of
from services.run.errors import LeadlineError, ModelError
from services.run.prices import Price, price_of
from services.run.roles import OFFLINE, ROLES, RoleModel, role_model

Form = Literal["both", "schema", "tools", "neither"]
"""What is asked for beside a plain answer."""


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
    left_out: list[str] = []
    """Parameters that it refuses; runs do without."""
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
    answers = dict(zip(models, await asyncio.gather(*(_probe(model) for model in models.values())), strict=True))
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
    found: dict[str, Any] = {"json_schema": True, "tools": True}
    try:
        if not await _takes(model, "both"):
            found = {"json_schema": await _takes(model, "schema"), "tools": await _takes(model, "tools")}
        if not any(found.values()):
            await _ask(model, "neither")
    except Refused as refused:
        return {"problem": str(refused.error)}
    except LeadlineError as error:
        return {"problem": str(error)}
    return {**found, "left_out": sorted(learned(model).refused)}


async def _takes(model: RoleModel, form: Form) -> bool:
    """Tell whether an endpoint takes a call of a form.

    Raises:
        ModelError: it failed, whatever the form.
    """
    try:
        await _ask(model, form)
    except Refused:
        return False
    except ModelError as error:
        cause = error.__cause__
        if form == "both" and cause is not None and (status_of(cause) or 0) >= 500:
            return False  # no run asks for both at once, and some servers break down over it
        raise
    return True


async def _ask(model: RoleModel, form: Form) -> None:
    """Make the call of a form, as a run would."""
    messages = [SystemMessage("You are being tested."), HumanMessage('Answer with {"ready": true}.')]
    shape = response_format(Ready) if form in {"both", "schema"} and model.provider in {"openai", "ollama"} else None

    def send() -> Awaitable[AIMessage]:
        chat = build(model, model.max_tokens, response_format=shape)
        return call(model, chat.bind_tools([as_tool(Ready)]) if form in {"both", "tools"} else chat, messages, QUIET)

    with suppress(TooLong):  # a run makes its prompts shorter
        await without_refused(model, send)
