"""Which model plays a role: any OpenAI-compatible endpoint where there is a key, else the offline model."""

import asyncio
import os
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from services.errors import SettingsError
from services.settings import settings

if TYPE_CHECKING:
    import httpx

REQUEST_SECONDS = 120.0
DEFAULT_MODEL = "gpt-4.1-mini"


def is_offline() -> bool:
    """Tell whether runs of this process use the offline model: no key and no endpoint is set."""
    return settings().openai_api_key is None and settings().openai_base_url is None


def chat_model(role: str) -> BaseChatModel:
    """Return the chat model of a role.

    `LEADLINE_MODEL_<ROLE>` names it, else `LEADLINE_MODEL`, else a default. An endpoint without a key
    (`OPENAI_BASE_URL` alone, as local servers have it) is used without one.

    Raises:
        SettingsError: a base URL is set that is none.
    """
    if is_offline():
        from services.models.offline import OfflineModel

        return OfflineModel(role=role)
    key, base_url = settings().openai_api_key, settings().openai_base_url
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise SettingsError(
            f"OPENAI_BASE_URL is {base_url!r}, which is no http address. Correct it, for example http://localhost:8000/v1."
        )
    name = os.environ.get(f"LEADLINE_MODEL_{role.upper()}") or settings().leadline_model or DEFAULT_MODEL
    return _openai(name, base_url, key.get_secret_value() if key else "none")


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, "httpx.AsyncClient"] = WeakKeyDictionary()
"""One connection pool an event loop: connections cannot outlive the loop that opened them."""


def _openai(name: str, base_url: str | None, key: str) -> BaseChatModel:
    import httpx
    from langchain_openai import ChatOpenAI

    loop = asyncio.get_running_loop()
    if loop not in _clients:
        _clients[loop] = httpx.AsyncClient(timeout=REQUEST_SECONDS, limits=httpx.Limits(max_connections=32))
    return ChatOpenAI(
        model=name,
        base_url=base_url,
        api_key=SecretStr(key),
        temperature=0.2,
        timeout=REQUEST_SECONDS,
        max_retries=2,
        stream_usage=True,
        use_responses_api=False,
        http_async_client=_clients[loop],
    )


async def close_clients() -> None:
    """Close the connections of the running event loop; the ways in that own their loop call this at the end of a run."""
    client = _clients.pop(asyncio.get_running_loop(), None)
    if client is not None:
        await client.aclose()
