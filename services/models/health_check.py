"""Checks the models: the model of each role and its problems, by one small call for each endpoint and model.

The models are called as in a run: unsupported features are left out, and only a missing feature that a run requires is
a problem. The supported features are stored for later runs.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from pydantic import BaseModel

from schemas.clean_text import clean_line
from schemas.context import RunContext
from schemas.events import CallProgress
from services.models.answer_watch import Sign
from services.models.attempts import Attempts, OnProgress, attempt_until_answered
from services.models.call_execution import QUIET
from services.models.chat import build
from services.models.endpoint_memory import keep_learned, learned, load_learned
from services.models.failures import CallFailed
from services.models.local_endpoint import settled as as_asked
from services.models.prompt_fit import output_room
from services.models.structured_output import answer_text, as_tool, parse, response_format
from services.run.errors import LeadlineError
from services.run.prices import Price, price_of
from services.run.roles import OFFLINE, OPENAI_COMPATIBLE, ROLES, RoleModel, role_model
from services.run.secrecy import without_secrets

Form = Literal["both", "schema", "tools", "neither"]
"""Features requested beside a plain answer."""
OnCheck = Callable[[str, CallProgress], None]
"""Called with a model's name and the progress of its slow or repeated call."""
MAX_MISREAD = 100
"""Characters of an unusable answer that are shown."""


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
    """None for an unknown price."""
    json_schema: bool | None = None
    """Whether the endpoint takes a JSON schema; None where it was not asked."""
    tools: bool | None = None
    """Whether it takes function calls."""
    left_out: list[str] = []
    """Parameters that it refuses; runs do without."""
    misread: str = ""
    """The answer, if it is nothing that was asked for, in whatever form: rules will do much of this model's work."""
    problem: str = ""
    """What is wrong, and what to do; empty when the model can be used."""


async def check_models(context: RunContext, on_progress: OnCheck = lambda _, __: None) -> list[RoleCheck]:
    """Check the model of every role, each model once."""
    settled: dict[str, RoleModel | LeadlineError] = {}
    for role in ROLES:
        try:
            settled[role] = await as_asked(role_model(role, context))
        except LeadlineError as error:
            settled[role] = error
    models = {_key(model): model for model in settled.values() if isinstance(model, RoleModel)}
    probed = await asyncio.gather(*(_probe(model, on_progress) for model in models.values()))
    answers = dict(zip(models, probed, strict=True))
    return [await _row(role, model, answers) for role, model in settled.items()]


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


async def _probe(model: RoleModel, on_progress: OnCheck) -> dict[str, Any]:
    """Ask for JSON schema and tools in one call, else for each separately; runs then request only what is supported."""
    if model.provider == OFFLINE:
        return {}
    forms: dict[str, Any] = {"json_schema": True, "tools": True}
    answers: list[AIMessage] = []
    ask = partial(_ask, model, answers, partial(on_progress, model.name))
    await load_learned()
    try:
        if not await _takes(ask, "both"):
            forms = {"json_schema": await _takes(ask, "schema"), "tools": await _takes(ask, "tools")}
        if not any(forms.values()):
            await ask("neither")
    except CallFailed as failure:
        return {"problem": str(failure.error)}
    known = learned(model)
    known.native_tools = forms["tools"]
    if known.dialect == "schema" and not forms["json_schema"]:
        known.dialect = "tool" if forms["tools"] else "text"
    known.answers += bool(answers)
    await keep_learned(model)
    return {**forms, "left_out": sorted(known.refused), "misread": _misread(answers)}


def _misread(answers: list[AIMessage]) -> str:
    """Return the beginning of the last answer, if none can be read as what was asked for."""
    for answer in answers:
        with suppress(ValueError):
            parse(answer_text(answer), Ready)
            return ""
    return without_secrets(clean_line(answers[-1].text))[:MAX_MISREAD] or "…" if answers else ""


async def _takes(ask: Callable[[Form], Awaitable[None]], form: Form) -> bool:
    """Tell whether an endpoint supports a form of call.

    Raises:
        CallFailed: the endpoint failed for a reason other than the form.
    """
    try:
        await ask(form)
    except CallFailed as failure:
        broke_down = form == "both" and (failure.status or 0) >= 500  # some servers refuse the combination of both
        if failure.kind == "refused" or broke_down:
            return False
        raise
    return True


async def _ask(model: RoleModel, answers: list[AIMessage], on_progress: OnProgress, form: Form) -> None:
    """Make a call of a form as a run would, and add its answer; a prompt that is too long counts as success, since a run would shorten it.

    Raises:
        CallFailed: the endpoint refuses the form, or failed.
    """
    messages = [SystemMessage("You are being tested."), HumanMessage('Answer with {"ready": true}.')]
    with_schema = form in {"both", "schema"} and model.provider in {*OPENAI_COMPATIBLE, "ollama"}
    shape = response_format(Ready) if with_schema else None

    async def send(on_piece: Callable[[Sign, str], None]) -> AIMessage:
        chat = build(model, output_room(model, 1.0, 1), response_format=shape, on_piece=on_piece)
        with_tools = chat.bind_tools([as_tool(Ready)]) if form in {"both", "tools"} else chat
        return await with_tools.ainvoke(messages, QUIET)

    async def change(_: CallFailed) -> bool:
        return False

    try:
        answers.append(await attempt_until_answered(model, Attempts(), send, change, on_progress))
    except CallFailed as failure:
        if failure.kind != "too_long":
            raise
