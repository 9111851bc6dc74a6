"""Lists the models of a server, and detects Ollama.

Each server is asked once in a process; only what it answered is remembered.
"""

import asyncio
import json
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import httpx2
from pydantic import SecretStr

from services.run.installation import is_installed
from services.run.roles import RoleModel

SECONDS = 2.0
"""Timeout in seconds of requests about the server itself."""
LISTING_SECONDS = 10.0
"""Timeout in seconds of a list of models; some endpoints have hundreds."""
_SHOW_SECONDS = 10.0
"""Timeout in seconds of Ollama's description of a model, which it may have to read from disk."""
OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_GREETING = "Ollama is running"
"""Ollama's answer at its root, besides its version at `/api/version`; other servers copy only the latter."""
MAX_NAMES = 1_000
_MAX_BYTES = 4_000_000
_NO_TEXT = re.compile(
    r"embed|bge-|rerank|whisper|tts|audio|speech|transcri|realtime|dall-e|image|sora|moderation|guard|clip",
    re.IGNORECASE,
)
"""Substrings of the names of models that do not write text."""
_MINI = re.compile(r"gpt-(\d{1,3})(?:\.(\d{1,3}))?-mini")
_NAME = re.compile(r"[\x21-\x7e]{1,200}")

_NUM_CTX = re.compile(r"^num_ctx[ \t]{1,40}(\d{1,9})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """Ollama's description of one model."""

    longest: int | None = None
    """Maximum context in tokens that the model was trained for."""
    chosen: int | None = None
    """Context in tokens that the model file sets."""
    thinks: bool = False


_models: dict[str, list[str]] = {}
_is_ollama: dict[str, bool] = {}
_ollama_models: dict[tuple[str, str], OllamaModel] = {}


async def listed_models(base_url: str | None, api_key: SecretStr | None, seconds: float = LISTING_SECONDS) -> list[str]:
    """Return the model names that an OpenAI-compatible endpoint lists, in its order; none if it lists none."""
    address = (base_url or OPENAI_URL).rstrip("/")
    if address not in _models:
        parts = urlsplit(address)
        answer = await _get(urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/models")), api_key, seconds)
        if answer is None:
            return []
        _models[address] = _names(answer)
    return _models[address]


async def is_ollama(base_url: str, api_key: SecretStr | None, seconds: float = SECONDS) -> bool:
    """Tell whether the server at an OpenAI-compatible address is Ollama; a server that did not answer is asked again."""
    root = root_of(base_url)
    if root not in _is_ollama:
        answer = await _get(f"{root}/api/version", api_key, seconds)
        if answer is None:
            return False
        version = _json(answer)
        copied = isinstance(version, dict) and isinstance(version.get("version"), str)
        greeting = await _get(f"{root}/", api_key, seconds) if copied else b""
        _is_ollama[root] = OLLAMA_GREETING.encode() in (greeting or b"")
    return _is_ollama[root]


async def ollama_model(model: RoleModel) -> OllamaModel | None:
    """Return Ollama's description of a model; None if it does not answer, or if its package is not installed.

    Raises:
        LookupError: Ollama has no such model; the first argument is the list of its models.
    """
    key = (model.endpoint, model.model)
    if key in _ollama_models:
        return _ollama_models[key]
    if not await asyncio.to_thread(is_installed, "langchain_ollama"):
        return None
    from ollama import AsyncClient, ResponseError

    headers = {"Authorization": f"Bearer {model.api_key.get_secret_value()}"} if model.api_key else {}
    host = root_of(model.base_url) if model.base_url else None
    client = AsyncClient(host=host, headers=headers, timeout=_SHOW_SECONDS)
    try:
        try:
            shown = await client.show(model.model)
        except ResponseError as error:
            if error.status_code != 404:
                return None
            raise LookupError([entry.model or "" for entry in (await client.list()).models]) from None
    except (ConnectionError, ResponseError, httpx.HTTPError, ValueError, AttributeError):  # the last two: another form
        return None
    finally:
        await client.close()  # type: ignore[no-untyped-call]  # its package gives it no types
    about = _ollama_about(shown.modelinfo or {}, shown.parameters or "", shown.capabilities or [])
    return _ollama_models.setdefault(key, about)


def _ollama_about(about: Mapping[str, Any], parameters: str, capabilities: Sequence[str]) -> OllamaModel:
    longest = next((value for name, value in about.items() if name.endswith(".context_length")), None)
    chosen = _NUM_CTX.search(parameters)
    return OllamaModel(
        longest if isinstance(longest, int) and longest > 0 else None,
        int(chosen[1]) or None if chosen else None,
        "thinking" in capabilities,
    )


def writing_models(names: Sequence[str]) -> list[str]:
    """Return the names of models that write text, judged by their names: no embeddings, speech or images."""
    return [name for name in names if not _NO_TEXT.search(name)]


def choice_among(names: Sequence[str], base_url: str | None) -> str:
    """Choose a model from an endpoint's list if none was named; empty if no model is preferred.

    That is the newest small model of OpenAI, where the endpoint lists one; else the only model that it lists; else the
    first, if the address starts with http:// and so most likely is the user's own server. Elsewhere a guess could cost
    money.
    """
    writing = writing_models(names)
    newest = max(filter(None, map(_MINI.fullmatch, writing)), key=_version, default=None)
    if newest is not None:
        return newest[0]
    sure = len(writing) == 1 or (base_url or "").startswith("http://")
    return writing[0] if writing and sure else ""


def _version(match: re.Match[str]) -> tuple[int, int]:
    return int(match[1]), int(match[2] or 0)


def root_of(base_url: str) -> str:
    """Return the root address of a server from its OpenAI-compatible address."""
    return base_url.partition("?")[0].rstrip("/").removesuffix("/v1").rstrip("/")


def forget_servers() -> None:
    """Forget all servers, so that they are asked again."""
    _models.clear()
    _is_ollama.clear()
    _ollama_models.clear()


def _names(answer: bytes) -> list[str]:
    listed = _json(answer)
    entries = listed.get("data") if isinstance(listed, dict) else None
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [name for name in names if isinstance(name, str) and _NAME.fullmatch(name)][:MAX_NAMES]


def _json(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        return None


async def _get(address: str, api_key: SecretStr | None, seconds: float) -> bytes | None:
    """Return the answer at an address: empty for a refusal, None if no answer comes in time."""
    headers = {"Authorization": f"Bearer {api_key.get_secret_value()}"} if api_key else {}
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if address.startswith("http://") else True
    body = b""
    try:
        async with (
            asyncio.timeout(seconds),
            httpx2.AsyncClient(timeout=seconds, verify=verify) as client,
            client.stream("GET", address, headers=headers) as response,
        ):
            if not response.is_success:
                return b""
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > _MAX_BYTES:
                    return b""
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError):
        return None
    return body
