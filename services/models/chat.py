"""The LangChain chat model of a role: any OpenAI-compatible endpoint, another provider's integration, or the offline model."""

import importlib
from collections.abc import Callable, Generator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

import httpx
import httpx2
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk
from pydantic import BaseModel, SecretStr

from services.models.answer_watch import Sign
from services.models.endpoint import CONNECT_SECONDS, POOL_SECONDS, WRITE_SECONDS, client, integrations, unused_client
from services.models.endpoint_memory import Learned, learned
from services.models.llamacpp import addressed
from services.models.server_models import root_of
from services.run.errors import BadInput, NotInstalled, SettingsError
from services.run.installation import install_command
from services.run.roles import OFFLINE, OPENAI_COMPATIBLE, PROVIDERS, SET_UP_BY, RoleModel
from services.run.secrecy import without_secrets
from services.run.settings import secret_named
from services.run.ui_text import say, told


def build(
    model: RoleModel,
    max_tokens: int,
    *,
    response_format: dict[str, Any] | None = None,
    stream: bool = False,
    prompt: BaseModel | None = None,
    on_piece: Callable[[Sign, str], None] | None = None,
    on_token: Callable[[str], None] | None = None,
) -> BaseChatModel:
    """Build the chat model that makes one attempt at a call.

    The offline model reads `prompt` instead of the messages; `stream` passes tokens on even without a listener.
    `on_piece` is called for each sign of life of the answer with its text, `on_token` for its text alone.

    Raises:
        SettingsError: a provider's package is not installed.
    """
    if model.provider == OFFLINE:
        from services.models.offline import OfflineModel

        chat: BaseChatModel = OfflineModel(prompt=prompt)
    elif model.provider in OPENAI_COMPATIBLE:
        chat = _openai(addressed(model), max_tokens, response_format, stream, on_piece)
        on_piece = None
    else:
        chat = _integration(model, max_tokens, response_format)
    if on_piece is None and on_token is None:
        return chat
    return chat.model_copy(update={"callbacks": [TokenHandler(on_piece, on_token)]})


def _openai(
    model: RoleModel,
    max_tokens: int,
    response_format: dict[str, Any] | None,
    stream: bool,
    on_piece: Callable[[Sign, str], None] | None,
) -> BaseChatModel:
    from services.models.streamed_chat import PiecewiseChatOpenAI

    known = learned(model)
    body: dict[str, Any] = {**_limit(model, known, max_tokens), **model.extra, **model.sampling}
    if response_format is not None:
        body["response_format"] = response_format
    base_url, _, query = (model.base_url or "").partition("?")
    return PiecewiseChatOpenAI(
        model=model.model,
        base_url=base_url or None,
        default_query=dict(parse_qsl(query)) or None,
        api_key=model.api_key or SecretStr("none"),
        temperature=None if "temperature" in known.refused else model.temperature,
        timeout=httpx2.Timeout(model.timeout, connect=CONNECT_SECONDS, write=WRITE_SECONDS, pool=POOL_SECONDS),
        max_retries=0,
        stream_chunk_timeout=None,  # `stall_limited` limits the time
        stream_usage="stream_options" not in known.refused,
        streaming=stream and "stream" not in known.refused,
        piecewise="stream" not in known.refused,
        plain_roles="role" in known.refused,
        on_piece=on_piece,
        use_responses_api=False,
        http_async_client=client(),
        http_client=unused_client(),
        http_socket_options=(),  # they are not used with a client of one's own, but warned of where there is a proxy
        extra_body=body,
    )


def _limit(model: RoleModel, known: Learned, max_tokens: int) -> dict[str, int]:
    """Return the output limit under the parameter name that the endpoint knows: OpenAI renamed it, most other servers did not."""
    renamed = model.base_url is None or "api.openai.com" in model.base_url
    if "max_tokens" in known.refused:
        renamed = True
    if "max_completion_tokens" in known.refused:
        renamed = False
    return {"max_completion_tokens" if renamed else "max_tokens": max_tokens}


def _integration(model: RoleModel, max_tokens: int, response_format: dict[str, Any] | None) -> BaseChatModel:
    """Build a model through its provider's own LangChain integration; the key comes from the provider's variable."""
    kind = _kind(model)
    limit = {"max_tokens": max_tokens}
    if model.provider == "ollama":  # Ollama silently truncates prompts that are longer than its context
        limit = {"num_predict": max_tokens, **({"num_ctx": model.context_window} if model.context_window else {})}
    patient = {} if model.provider == "ollama" else {"timeout": model.timeout, "max_retries": 0}
    piecewise = {"streaming": True} if "streaming" in kind.model_fields else {}
    shape = {"format": response_format["json_schema"]["schema"]} if response_format else {}  # an option of Ollama only
    of_provider = limit | shape | patient | piecewise | _reached(model) | _keyed(model)
    options: dict[str, Any] = {**of_provider, **model.extra, **_renamed(model)}
    keys = [key.get_secret_value() for key in (model.api_key, options.get("api_key")) if key]
    built_with = sha256(repr((model.name, model.temperature, options, keys)).encode()).hexdigest()
    known = integrations()
    if built_with in known:
        return known[built_with]
    try:
        chat: BaseChatModel = kind(model=model.model, temperature=model.temperature, **options)
    except Exception as error:  # noqa: BLE001 - each integration raises what it likes for a missing key
        reason = without_secrets(" ".join(str(error).split()))[:200].rstrip(".")
        raise SettingsError(**told("model_unusable", model=model.name, reason=reason)) from None
    while len(known) >= _MAX_BUILT:
        known.pop(next(iter(known)))
    known[built_with] = chat
    return chat


_MAX_BUILT = 64
"""Maximum number of built models of other providers that are cached: runs choose parameters freely."""
PARAMETER_NAMES: dict[str, dict[str, str]] = {
    "anthropic": {name: name for name in ("top_p", "top_k", "reasoning_effort")} | {"stop": "stop_sequences"},
    "google_genai": {
        name: name
        for name in ("top_p", "top_k", "seed", "stop", "presence_penalty", "frequency_penalty", "thinking_budget")
    }
    | {"reasoning_effort": "thinking_level"},
    "mistralai": {"top_p": "top_p", "stop": "stop", "seed": "random_seed"},
    "ollama": {name: name for name in ("top_p", "top_k", "seed", "stop", "repeat_penalty")}
    | {"repetition_penalty": "repeat_penalty", "enable_thinking": "reasoning"},
}
"""Names of the `Sampling` parameters that each integration accepts."""


def _reached(model: RoleModel) -> dict[str, Any]:
    """Return Ollama's address and key, if an OpenAI-compatible address turned out to be Ollama."""
    if model.base_url is None:
        return {}
    keyed = {"client_kwargs": {"auth": _Bearer(model.api_key)}} if model.api_key else {}
    return {"base_url": root_of(model.base_url), **keyed}


@dataclass(frozen=True, slots=True)
class _Bearer(httpx.Auth):
    """Adds a key to requests; unlike a header, the key does not appear in the model's representation, which traces store."""

    key: SecretStr

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        """Add the key."""
        request.headers["Authorization"] = f"Bearer {self.key.get_secret_value()}"
        yield request


def _keyed(model: RoleModel) -> dict[str, Any]:
    """Return the key of the provider, which may be in `.env`, where its integration does not look."""
    keys = (secret_named(name) for name in SET_UP_BY[model.provider] if name.endswith("_API_KEY"))
    key = next(filter(None, keys), None)
    return {"api_key": key} if key else {}


def _renamed(model: RoleModel) -> dict[str, Any]:
    """Return the run's sampling parameters under the names of the provider's integration."""
    names = PARAMETER_NAMES[model.provider]
    for name in model.sampling:
        if name not in names:
            raise BadInput(**told("model_parameter", model=model.name, parameter=name, known=", ".join(names)))
    return {
        names[name]: [value] if isinstance(value, str) and name == "stop" else value
        for name, value in model.sampling.items()
    }


def _kind(model: RoleModel) -> Any:
    module, name, extra = PROVIDERS[model.provider]
    package = module.replace("_", "-")
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError:
        raise NotInstalled(say("model_package", model=model.name, package=package), install_command(extra)) from None


def comes_in_pieces(model: RoleModel) -> bool:
    """Tell whether a model's answers are streamed; the offline model's answers come whole."""
    if model.provider in {OFFLINE, *OPENAI_COMPATIBLE}:
        return model.provider != OFFLINE and "stream" not in learned(model).refused
    return model.provider == "ollama" or "streaming" in _kind(model).model_fields


class TokenHandler(AsyncCallbackHandler):
    """Calls one function for each piece of a streaming call, and another for its text, if it has any."""

    raise_error = True
    """Exceptions of the functions end the call."""

    def __init__(self, on_piece: Callable[[Sign, str], None] | None, on_token: Callable[[str], None] | None) -> None:
        self._on_piece = on_piece
        self._on_token = on_token

    async def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Pass on a piece."""
        text = token if isinstance(token, str) else chunk.text if chunk is not None else ""
        if self._on_piece is not None:
            self._on_piece("writing" if text else "thinking", text)
        if self._on_token is not None and text:
            self._on_token(text)
