"""Roles and their models: endpoint, name, temperature, maximum tokens, timeout, further parameters.

A run's own choice comes first, then `LEADLINE_<SETTING>_<ROLE>`, then `LEADLINE_<SETTING>`, then the defaults below.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from schemas.context import RunContext
from schemas.models import ModelChoice, Role, ToolProtocol
from services.run.endpoints import GENERAL, Endpoint, connection, endpoint_named, endpoint_of
from services.run.errors import BadInput, SettingsError, reason_of
from services.run.secrecy import shown_address
from services.run.settings import role_environment, secret_named
from services.run.ui_text import say, told

ROLES: tuple[str, ...] = get_args(Role)
DEFAULT_MODEL = "gpt-4.1-mini"
"""Model to use if none was named and the endpoint lists none (`services/models/local_endpoint.py`)."""
OFFLINE = "offline"
"""The name of the offline model, which plays every role when no key and no endpoint is set."""
LLAMACPP = "llamacpp"
"""Prefix of a model file's path, which llama.cpp serves."""
OPENAI_COMPATIBLE = frozenset({"openai", LLAMACPP})
"""Providers with OpenAI's protocol."""
CALL_SECONDS = 600.0
"""Maximum seconds of a whole call, even if its answer keeps streaming."""
CONTEXT_WINDOW = 128_000
PROVIDERS = {
    "anthropic": ("langchain_anthropic", "ChatAnthropic", "anthropic"),
    "google_genai": ("langchain_google_genai", "ChatGoogleGenerativeAI", "google"),
    "mistralai": ("langchain_mistralai", "ChatMistralAI", "mistral"),
    "ollama": ("langchain_ollama", "ChatOllama", "ollama"),
}
"""Providers with their own integration, by the prefix of a model's name: module, class and extra."""
SET_UP_BY = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google_genai": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "mistralai": ("MISTRAL_API_KEY",),
    "ollama": ("OLLAMA_HOST",),
}
"""Environment variables that set a provider up, any of which lets runs name its models."""
DEFAULTS: dict[str, tuple[float, int]] = {
    "coordinator": (0.0, 700),
    "planner": (0.3, 800),
    "researcher": (0.2, 1_000),
    "coder": (0.2, 2_500),
    "reflector": (0.3, 500),
    "reporter": (0.5, 2_000),
    "verifier": (0.0, 4_000),
}
"""Temperature and maximum output tokens by role. A truncated answer is requested again with more tokens."""


class RoleModel(BaseModel):
    """The model of one role, settled."""

    model_config = ConfigDict(frozen=True)

    role: str
    provider: str
    """`offline`, `openai` (any compatible endpoint), `llamacpp` or a key of `PROVIDERS`."""
    model: str
    file: Path | None = Field(default=None, repr=False, exclude=True)
    """The model file of llama.cpp; `model` is its name then."""
    named: bool = True
    """Whether anybody named it; else the endpoint is asked for what it has, and this is a stand-in."""
    base_url: str | None = None
    """Of an OpenAI-compatible endpoint; None is OpenAI itself."""
    api_key: SecretStr | None = Field(default=None, repr=False, exclude=True)
    """The key of that address and of no other; None where requests carry none."""
    address_variable: str = "OPENAI_BASE_URL"
    """The variable that holds the address, for messages."""
    key_variable: str = "OPENAI_API_KEY"
    """The variable that holds the key."""
    temperature: float | None
    max_tokens: int
    timeout: float
    first_token_timeout: float | None = None
    """Maximum seconds of silence before an answer begins; None for the default."""
    token_timeout: float | None = None
    """Maximum seconds of silence within an answer; None for the default."""
    context_window: int | None
    tool_protocol: ToolProtocol
    extra: dict[str, Any]
    """The operator's further parameters, whatever they are."""
    sampling: dict[str, Any]
    """The run's, which are parameters of `Sampling`; they come before the operator's."""

    @property
    def endpoint(self) -> str:
        """Name of the endpoint, for people and as a key."""
        if self.file is not None:  # the address changes with each start
            return f"llama.cpp ({self.model})"
        return shown_address(self.base_url) if self.base_url else self.provider

    @property
    def name(self) -> str:
        """Name of the model as a user would write it."""
        return self.model if self.provider in {"openai", OFFLINE} else f"{self.provider}:{self.model}"


def role_model(role: str, context: RunContext) -> RoleModel:
    """Return the model of a role in a run.

    Raises:
        SettingsError: a setting is invalid, or the named model's provider or endpoint is not set up.
    """
    temperature, max_tokens = DEFAULTS.get(role, (0.2, 1_000))
    values = {
        "temperature": temperature,
        "max_tokens": max_tokens,
        "timeout": CALL_SECONDS,
        "tool_protocol": "auto",
        **_from_environment(role),
        **({"tool_protocol": context.tool_protocol} if context.tool_protocol != "auto" else {}),
    }
    chosen, sampling = _chosen(role, context)
    values |= chosen
    if (temperature_of_run := sampling.pop("temperature", None)) is not None:
        values["temperature"] = temperature_of_run
    endpoint_name = str(values.pop("endpoint", ""))
    endpoint = endpoint_named(endpoint_name) if endpoint_name else endpoint_of(role)
    named = str(values.pop("model", "")) or _model_of_endpoint(endpoint_name)
    provider, model = named_provider(named)
    if provider in PROVIDERS or provider == LLAMACPP:
        _check_provider(role, named, endpoint, chosen)
    if not model and endpoint is not None:
        provider, model = "openai", DEFAULT_MODEL
    elif not model:
        provider, model = OFFLINE, OFFLINE
    elif provider == "openai" and endpoint is None:
        raise SettingsError(**told("model_without_endpoint", model=named, role=role))
    # the name of a model file stands for its path, which must not be shown
    file = {"model": Path(model).name, "file": Path(model), "address_variable": "LEADLINE_MODEL"}
    return RoleModel.model_validate(
        {
            "context_window": None,
            "extra": {},
            **values,
            "sampling": sampling,
            "role": role,
            "provider": provider,
            "model": model,
            "named": bool(named),
            **(file if provider == LLAMACPP else {}),
            **(asdict(endpoint) if endpoint is not None and provider == "openai" else {}),
        }
    )


def _chosen(role: str, context: RunContext) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the run's choices for a role, and its request parameters.

    A choice of an endpoint without a model means the endpoint's own model, whatever model was named before.
    """
    values: dict[str, Any] = {}
    sampling: dict[str, Any] = {}
    for choice in (context.models.get("default"), context.models.get(role)):  # type: ignore[call-overload]  # any role's name
        chosen = choice.model_dump(exclude_unset=True, exclude_none=True) if choice else {}
        sampling = chosen.pop("extra", sampling)
        values |= {"model": "", **chosen} if "endpoint" in chosen else chosen
    return values, sampling


def _model_of_endpoint(name: str) -> str:
    """Return the model of an endpoint that a run named without a model, or of the one that was connected in the page."""
    if (connected := connection()) is not None and name.lower() in {"", GENERAL}:
        return connected.model
    if not name:
        return ""
    variable = "LEADLINE_MODEL" if name.lower() == GENERAL else f"LEADLINE_MODEL_{name.upper()}"
    return role_environment().get(variable, "")


def _check_provider(role: str, named: str, endpoint: Endpoint | None, chosen: dict[str, Any]) -> None:
    provider = named_provider(named)[0]
    if chosen.get("endpoint"):
        raise BadInput(**told("model_and_endpoint", model=named, endpoint=chosen["endpoint"], role=role))
    if endpoint is not None and endpoint.address_variable != "OPENAI_BASE_URL" and not chosen.get("model"):
        raise SettingsError(
            **told(
                "model_of_other_provider",
                variable=endpoint.address_variable,
                model=named,
                role=role,
                setting=role.upper(),
            )
        )
    if provider == LLAMACPP and not Path(named.removeprefix(f"{LLAMACPP}:")).name:
        raise SettingsError(**told("model_no_file", role=role))
    if provider == LLAMACPP and named not in _models_of_environment():
        raise SettingsError(**told("model_file_closed", model=named[:200], role=role))
    if provider != LLAMACPP and not _is_set_up(provider):
        raise SettingsError(
            **told("model_not_set_up", model=named, role=role, settings=say("either").join(SET_UP_BY[provider]))
        )


def roles_with_model(context: RunContext) -> list[str]:
    """Return the roles that a language model plays, as far as they are set up: what is wrong with others, the run reports."""
    roles: list[str] = []
    for role in ROLES:
        with suppress(SettingsError, BadInput):
            if role_model(role, context).provider != OFFLINE:
                roles.append(role)
    return roles


def check_models_remain(roles: Iterable[str], context: RunContext, locale: str) -> None:
    """Reject going on without a model in roles that a model played, unless the offline model was named for them.

    Raises:
        SettingsError: a role has no model any more; or as `role_model`.
    """
    for role in roles:
        model = role_model(role, context)
        if model.provider == OFFLINE and not model.named:
            raise SettingsError(say("model_gone", locale))


def check_models_chosen(context: RunContext) -> None:
    """Reject models that the run may not name, before any call.

    Raises:
        SettingsError: as `role_model`.
    """
    for role in context.models:
        role_model("coordinator" if role == "default" else role, context)


def named_provider(name: str) -> tuple[str, str]:
    """Split `provider:model`; a colon after an unknown prefix belongs to the model's name."""
    if name == OFFLINE:
        return OFFLINE, OFFLINE
    prefix, colon, rest = name.partition(":")
    if colon and prefix in {*PROVIDERS, LLAMACPP, "openai"}:
        return prefix, rest
    return "openai", name


def _is_set_up(provider: str) -> bool:
    """Tell whether the operator has set a provider up: runs may only name models of such providers."""
    return any(map(secret_named, SET_UP_BY[provider])) or any(
        value.startswith(f"{provider}:") for value in _models_of_environment()
    )


def _models_of_environment() -> list[str]:
    return [value for name, value in role_environment().items() if name.startswith("LEADLINE_MODEL")]


_FROM_ENVIRONMENT = (
    "model", "temperature", "max_tokens", "timeout", "first_token_timeout", "token_timeout", "context_window", "tool_protocol", "extra"
)  # fmt: skip
"""Fields that `LEADLINE_<FIELD>_<ROLE>` and `LEADLINE_<FIELD>` set."""
_CHOSEN_BY_CALL = {"tools", "tool_choice", "response_format"}
"""Parameters that depend on what a call offers, so that operators cannot set them."""


def _from_environment(role: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    environment = role_environment()
    for field in _FROM_ENVIRONMENT:
        for name in (f"LEADLINE_{field.upper()}_{role.upper()}", f"LEADLINE_{field.upper()}"):
            if name in environment and field not in values:
                values[field] = _checked(field, name, environment[name])
    return values


def _checked(field: str, name: str, value: str) -> Any:
    try:
        if field == "model" and value.startswith(f"{LLAMACPP}:"):  # a path may contain spaces
            return value
        if field == "extra":  # the operator may set any parameter
            extra = TypeAdapter(dict[str, Any]).validate_json(value)
            if chosen := sorted(extra.keys() & _CHOSEN_BY_CALL):
                raise SettingsError(**told("setting_extra", name=name, parameter=chosen[0]))
            return extra
        return getattr(ModelChoice.model_validate({field: value}), field)
    except ValidationError as error:
        expected = say("setting_json") if field == "extra" else ""
        raise SettingsError(
            **told("setting_value", name=name, value=value, reason=reason_of(error.errors()[0]), expected=expected)
        ) from None
