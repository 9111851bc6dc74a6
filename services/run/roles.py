"""What each role asks of a model: name, temperature, most tokens, timeout, further parameters.

A run's own choice comes first, then `LEADLINE_<SETTING>_<ROLE>`, then `LEADLINE_<SETTING>`, then the defaults below.
"""

import os
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from schemas.context import RunContext
from schemas.models import ModelChoice, Role, ToolProtocol
from services.run.errors import SettingsError
from services.run.settings import role_environment, settings

ROLES: tuple[str, ...] = get_args(Role)
DEFAULT_MODEL = "gpt-4.1-mini"
OFFLINE = "offline"
"""The name of the offline model, which plays every role when no key and no endpoint is set."""
CALL_SECONDS = 600.0
"""Of a whole call, however steadily its answer comes."""
SILENT_SECONDS = 12.0
"""Before the first piece of an answer, and between pieces: a stall costs no more before the call is tried again."""
CONTEXT_WINDOW = 128_000
PROVIDERS = {
    "anthropic": ("langchain_anthropic", "ChatAnthropic"),
    "google_genai": ("langchain_google_genai", "ChatGoogleGenerativeAI"),
    "mistralai": ("langchain_mistralai", "ChatMistralAI"),
    "ollama": ("langchain_ollama", "ChatOllama"),
}
"""Providers with an integration of their own, by the prefix of a model's name: module and class."""
SET_UP_BY = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google_genai": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "mistralai": ("MISTRAL_API_KEY",),
    "ollama": ("OLLAMA_HOST",),
}
"""The variables by any of which an operator sets a provider up, so that runs may name its models."""
DEFAULTS: dict[str, tuple[float, int]] = {
    "coordinator": (0.0, 700),
    "planner": (0.3, 800),
    "researcher": (0.2, 1_000),
    "coder": (0.2, 1_500),
    "reflector": (0.3, 500),
    "reporter": (0.5, 2_000),
    "verifier": (0.0, 2_500),
}
"""Temperature and most tokens by role. An answer that is cut off is asked for again with more room."""


class RoleModel(BaseModel):
    """The model of one role, settled."""

    model_config = ConfigDict(frozen=True)

    role: str
    provider: str
    """`offline`, `openai` (any compatible endpoint) or a key of `PROVIDERS`."""
    model: str
    base_url: str | None = None
    """Of an OpenAI-compatible endpoint; None is OpenAI itself."""
    temperature: float | None
    max_tokens: int
    timeout: float
    first_token_timeout: float
    token_timeout: float
    context_window: int | None
    tool_protocol: ToolProtocol
    extra: dict[str, Any]
    """The operator's further parameters, whatever they are."""
    sampling: dict[str, Any]
    """The run's, which are parameters of `Sampling`; they come before the operator's."""

    @property
    def endpoint(self) -> str:
        """Name of the endpoint, for people and as a key."""
        return self.base_url or self.provider

    @property
    def name(self) -> str:
        """Name of the model as a user would write it."""
        return self.model if self.provider in {"openai", OFFLINE} else f"{self.provider}:{self.model}"


def role_model(role: str, context: RunContext) -> RoleModel:
    """Return the model of a role in a run.

    Raises:
        SettingsError: the environment holds something impossible, or the model that was named is of a provider or an endpoint
            that is not set up.
    """
    temperature, max_tokens = DEFAULTS.get(role, (0.2, 1_000))
    values = {
        "temperature": temperature,
        "max_tokens": max_tokens,
        "timeout": CALL_SECONDS,
        "first_token_timeout": SILENT_SECONDS,
        "token_timeout": SILENT_SECONDS,
        "tool_protocol": "auto",
        **_from_environment(role),
        **({"tool_protocol": context.tool_protocol} if context.tool_protocol != "auto" else {}),
    }
    sampling: dict[str, Any] = {}
    for choice in (context.models.get("default"), context.models.get(role)):  # type: ignore[call-overload]  # any role's name
        chosen = choice.model_dump(exclude_unset=True, exclude_none=True) if choice else {}
        sampling = chosen.pop("extra", sampling)
        values |= chosen
    if (temperature_of_run := sampling.pop("temperature", None)) is not None:
        values["temperature"] = temperature_of_run
    named = str(values.pop("model", ""))
    provider, model = _named(named)
    if provider in SET_UP_BY and not _is_set_up(provider):
        raise SettingsError(
            f"The model {named} was named for the role {role}, and its provider is not set up here. Whoever runs Leadline sets "
            f"{' or '.join(SET_UP_BY[provider])} in the environment, or names one of its models in LEADLINE_MODEL."
        )
    if not model and _has_endpoint():
        provider, model = "openai", DEFAULT_MODEL
    elif not model:
        provider, model = OFFLINE, OFFLINE
    elif provider == "openai" and not _has_endpoint():
        raise SettingsError(
            f"The model {named} was named for the role {role}, and no endpoint is set. "
            "Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs no key."
        )
    return RoleModel.model_validate(
        {
            "context_window": None,
            "extra": {},
            **values,
            "sampling": sampling,
            "role": role,
            "provider": provider,
            "model": model,
            "base_url": _base_url() if provider == "openai" else None,
        }
    )


def check_models_chosen(context: RunContext) -> None:
    """Refuse models that the run cannot name before any is asked.

    Raises:
        SettingsError: as `role_model`.
    """
    for role in context.models:
        role_model("coordinator" if role == "default" else role, context)


def _named(name: str) -> tuple[str, str]:
    """Split `provider:model`; a colon after anything but a known provider belongs to the model's name."""
    if name == OFFLINE:
        return OFFLINE, OFFLINE
    prefix, colon, rest = name.partition(":")
    if colon and prefix in {*PROVIDERS, "openai"}:
        return prefix, rest
    return "openai", name


def _is_set_up(provider: str) -> bool:
    """Tell whether the operator has set a provider up: a run names a model of it, and never what it has no business to reach."""
    named = (value for name, value in role_environment().items() if name.startswith("LEADLINE_MODEL"))
    return any(os.environ.get(name) for name in SET_UP_BY[provider]) or any(
        value.startswith(f"{provider}:") for value in named
    )


def _has_endpoint() -> bool:
    return settings().openai_api_key is not None or settings().openai_base_url is not None


def _base_url() -> str | None:
    base_url = settings().openai_base_url
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise SettingsError(
            f"OPENAI_BASE_URL is {base_url!r}, which is no http address. Correct it, for example http://localhost:8000/v1."
        )
    return base_url


_VARIABLES = {
    "model": "MODEL",
    "temperature": "TEMPERATURE",
    "max_tokens": "MAX_TOKENS",
    "timeout": "TIMEOUT",
    "first_token_timeout": "FIRST_TOKEN_TIMEOUT",
    "token_timeout": "TOKEN_TIMEOUT",
    "context_window": "CONTEXT_WINDOW",
    "tool_protocol": "TOOL_PROTOCOL",
    "extra": "EXTRA",
}


def _from_environment(role: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    environment = role_environment()
    for field, variable in _VARIABLES.items():
        for name in (f"LEADLINE_{variable}_{role.upper()}", f"LEADLINE_{variable}"):
            if name in environment and field not in values:
                values[field] = _checked(field, name, environment[name])
    return values


def _checked(field: str, name: str, value: str) -> Any:
    try:
        if field == "extra":  # the operator's own is free
            return TypeAdapter(dict[str, Any]).validate_json(value)
        return getattr(ModelChoice.model_validate({field: value}), field)
    except ValidationError as error:
        expected = 'It takes a JSON object, for example {"top_p": 0.9}.' if field == "extra" else ""
        raise SettingsError(
            f"{name} cannot be {value!r}: {error.errors()[0]['msg']}. {expected}Correct it in the environment or .env."
        ) from None
