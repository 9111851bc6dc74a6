"""Settles a role's endpoint before its first call: the model, if none was named, and Ollama's own API.

Ollama cuts a prompt that is longer than its context off without a word, and its OpenAI-compatible address takes no wish for a
longer one. So an endpoint that turns out to be Ollama is spoken to by Ollama's own API, which does.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from langgraph.config import get_stream_writer

from schemas.clean_text import clean_line
from schemas.events import Event
from services.models.chat import PARAMETER_NAMES
from services.models.server_models import choice_among, is_ollama, listed_models, ollama_model, writing_models
from services.run.errors import SettingsError
from services.run.installation import install_command, is_installed
from services.run.roles import DEFAULT_MODEL, RoleModel
from services.run.scope import current_run
from services.run.ui_text import say, told

WINDOW = 16_384
"""Tokens of context requested from Ollama by default: enough for the prompts of a run, small enough for little memory."""
_NAMES = {**PARAMETER_NAMES["ollama"], "reasoning_effort": "reasoning"}
"""Parameters of Ollama's own API by their name in its OpenAI-compatible API."""
_OWN_OPTIONS = frozenset(
    "num_ctx num_gpu num_thread num_predict repeat_last_n repeat_penalty seed stop top_k top_p mirostat mirostat_eta "
    "mirostat_tau tfs_z keep_alive reasoning".split()
)
"""Ollama's own options that an operator may set."""
_NAMED = 8
"""Maximum number of models named in one message."""
_announced: set[str] = set()
"""Servers for which the missing package was already reported in this process."""


async def settled(model: RoleModel) -> RoleModel:
    """Return a role's model with its name and API settled.

    Raises:
        SettingsError: no model was named and the endpoint lists several, or Ollama has no such model.
    """
    if model.provider == "openai" and not model.named:
        model = model.model_copy(update={"model": await _unnamed(model), "named": True})
    if model.provider == "openai" and (model.base_url or "").startswith("http://"):
        return await _by_own_api(model)
    if model.provider == "ollama":
        return await _with_window(model)
    return model


async def _unnamed(model: RoleModel) -> str:
    """Choose the model if none was named; an endpoint that lists none gets the default name."""
    listed = await listed_models(model.base_url, model.api_key)
    chosen = choice_among(listed, model.base_url)
    if not chosen and (writing := writing_models(listed)):
        raise SettingsError(**told("model_unnamed", endpoint=model.endpoint, count=len(writing), models=_some(writing)))
    return chosen or DEFAULT_MODEL


async def _by_own_api(model: RoleModel) -> RoleModel:
    """Return the model with Ollama's own API, if its endpoint is Ollama and the package is installed."""
    if model.base_url is None or not await is_ollama(model.base_url, model.api_key):
        return model
    if not await asyncio.to_thread(is_installed, "langchain_ollama"):
        _announce_once("ollama_package", model.endpoint, command=install_command("ollama"))
        return model
    parameters = {**model.extra, **model.sampling}
    foreign = sorted(name for name in parameters if _NAMES.get(name, name) not in _OWN_OPTIONS)
    if foreign:
        _announce_once("ollama_parameter", model.endpoint, parameter=foreign[0][:60])
        return model
    own = {_NAMES.get(name, name): _as_ollamas(name, value) for name, value in parameters.items()}
    return await _with_window(model.model_copy(update={"provider": "ollama", "extra": own, "sampling": {}}))


def _as_ollamas(name: str, value: Any) -> Any:
    if name == "reasoning_effort":
        return {"none": False, "minimal": "low", "low": "low", "medium": "medium"}.get(value, "high")
    return [value] if name == "stop" and isinstance(value, str) else value


def _announce_once(message: str, endpoint: str, **values: str) -> None:
    if endpoint in _announced:
        return
    with suppress(RuntimeError):
        title = say(message, current_run().locale, endpoint=endpoint, **values)
        get_stream_writer()(Event(type="notice", node=current_run().node, title=title).model_dump(mode="json"))
        _announced.add(endpoint)


async def _with_window(model: RoleModel) -> RoleModel:
    """Set the context size requested from Ollama, and have it return reasoning apart from answers."""
    try:
        known = await ollama_model(model)
    except LookupError as error:
        there = error.args[0]
        has = say("ollama_has", models=_some(there)) if there else say("ollama_empty")
        raise SettingsError(**told("ollama_missing", model=model.model, has=has)) from None
    if known is None:  # the call itself will report the problem
        return model.model_copy(update={"context_window": model.context_window or WINDOW})
    wanted = model.extra.get("num_ctx") or model.context_window or known.chosen or WINDOW
    window = min(wanted, known.longest or wanted)
    chosen = "reasoning" in model.extra or "enable_thinking" in model.sampling
    extra = {"reasoning": True, **model.extra} if known.thinks and not chosen else model.extra
    return model.model_copy(update={"context_window": window, "extra": extra})


def _some(names: Sequence[str]) -> str:
    some = ", ".join(clean_line(name)[:80] for name in names[:_NAMED])
    return say("names_further", names=some, count=len(names) - _NAMED) if len(names) > _NAMED else some
