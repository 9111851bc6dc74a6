"""Which model plays a role: any OpenAI-compatible endpoint where there is a key, else the offline model."""

import os
from functools import lru_cache

from langchain_core.language_models import BaseChatModel

from services.errors import SettingsError
from services.settings import settings

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
        raise SettingsError(f"OPENAI_BASE_URL is {base_url!r}, which is no http address. Correct it, for example http://localhost:8000/v1.")
    name = os.environ.get(f"LEADLINE_MODEL_{role.upper()}") or settings().leadline_model or DEFAULT_MODEL
    return _openai(name, base_url, key.get_secret_value() if key else "none")


@lru_cache(maxsize=32)
def _openai(name: str, base_url: str | None, key: str) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model=name,
        base_url=base_url,
        api_key=lambda: key,
        temperature=0.2,
        timeout=120,
        max_retries=2,
        stream_usage=True,
        use_responses_api=False,
    )
