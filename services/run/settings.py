"""Secrets and endpoints from the environment or `.env`; the choices of a run are in `schemas/context.py`."""

import json
import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from services.run.dotenv_file import dotenv
from services.run.errors import SettingsError, reason_of
from services.run.secrecy import forget_secrets, register_named_secrets, register_secrets
from services.run.ui_text import told


def _absolute(path: Path) -> Path:
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - Path.expanduser fails for users that there are none of


Place = Annotated[Path, AfterValidator(_absolute)]
"""A path, made absolute when the settings are read: looking up the working folder blocks, and the event loop must not. `~` is the home folder."""


_NO_KEY = re.compile(r"[^\x21-\x7e]")


def _paths(value: object) -> object:
    if isinstance(value, str):
        return [Path(part) for part in value.split(os.pathsep) if part.strip()]
    return value


def _words(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


ToolGroup = Literal["search", "code", "files", "data"]


class Settings(BaseModel):
    """The environment, checked once. An empty variable counts as not set."""

    model_config = ConfigDict(validate_default=True)

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    leadline_prices: Place | None = None
    """File of prices, where the built-in list does not know a model or the user pays something else."""
    leadline_max_concurrency: int = Field(default=8, ge=1)
    """Model calls under way at once at one endpoint."""
    leadline_requests_per_minute: float | None = Field(default=None, gt=0)
    leadline_max_retries: int = Field(default=6, ge=0, le=20)
    leadline_embeddings_model: str | None = None
    """`none`, local models (`use`, `e5`, `use+e5`), or a model of an OpenAI-compatible endpoint; by default what is installed."""
    leadline_embeddings_base_url: str | None = None
    """Where it is served, if not at `OPENAI_BASE_URL`."""
    leadline_embeddings_api_key: SecretStr | None = None
    """Its key, if not `OPENAI_API_KEY`."""
    leadline_lexical_threshold: float = Field(default=0.0, ge=0, lt=1)
    """Share of the query's words (by weight) that a passage must hold more of, to be found by its words."""
    leadline_semantic_threshold: float = Field(default=0.5, ge=0, le=1)
    """Likeness from which a passage is found by its meaning alone: 0 is nothing in common, 1 a clear match."""
    leadline_top_k: int = Field(default=5, ge=1, le=100)
    """Passages that words, and as many that meaning, bring in for each query."""
    tavily_api_key: SecretStr | None = None
    tavily_base_url: str | None = None
    leadline_search: str = "auto"
    leadline_search_services: Place | None = None
    """File of search services beside the built-in ones, or in their place; see docs/search.md."""
    leadline_contact: str | None = None
    """E-mail address of who is responsible, for search services that ask for one."""
    leadline_search_timeout: float = Field(default=12.0, gt=0, le=120)
    """Seconds for one web search; then it is tried again, or the next provider is asked."""
    leadline_page_timeout: float = Field(default=30.0, gt=0, le=300)
    """Seconds for one page, from the first look-up of its name to the last byte."""
    leadline_file_seconds: float = Field(default=20.0, gt=0, le=3_600)
    """Seconds for converting one file of a folder."""
    leadline_file_memory: int = Field(default=512, ge=256, le=65_536)
    """Megabytes of memory for converting one file."""
    leadline_one_call_tokens: int = Field(default=30_000, ge=0, le=1_000_000)
    """Estimated tokens of evidence that one call writes a report at `standard` from; 0: every report with an outline in sections."""
    leadline_ocr_seconds: float = Field(default=40.0, ge=0, le=3_600)
    """Seconds that the images of one PDF file of a folder are read for; 0 reads none."""
    leadline_render: Literal["auto", "off"] = "auto"
    """Whether pages that need scripts are rendered, by Chromium where it is installed."""
    leadline_duckduckgo_url: str = "https://html.duckduckgo.com/html/"
    leadline_allow_private_hosts: str = ""
    leadline_docs: Annotated[list[Place], BeforeValidator(_paths)] = Field(default_factory=list)
    leadline_tools: Annotated[list[ToolGroup], BeforeValidator(_words)] = ["search", "code"]
    """Groups of tools that a step with tools has beside those that the plan assigned to it."""
    leadline_databases: SecretStr | None = None
    """Databases that may be asked, `name=URL` with semicolons between; see docs/tools.md."""
    leadline_sandbox_python: Place | None = None
    leadline_sandbox: Literal["isolated", "unsafe"] = "isolated"
    leadline_mcp: Place | None = None
    """File that names servers of tools."""
    leadline_mcp_commands: str = ""
    """Commands, separated by commas, that a run's own choices may start as servers of tools."""
    leadline_log: Literal["auto", "text", "json", "off"] = "auto"
    """Lines on stderr, or (`auto`) what the process does with the logger `leadline`: a server shows it, the command does not."""
    leadline_log_level: Literal["debug", "info", "warning"] = "info"
    leadline_home: Place = Path(".leadline")
    leadline_tokens: SecretStr | None = None
    """Who may use the server, `name:token` with commas between; see docs/server.md."""
    leadline_tokens_file: Place | None = None
    """The same as a file, one `name:token` a line."""
    leadline_user_docs: Place | None = None
    """Folder whose subfolders hold the documents of the users of their names."""
    leadline_origins: Annotated[list[str], BeforeValidator(_words)] = Field(default_factory=list)
    """Sites whose pages may use a server without tokens, besides this machine's and LangGraph Studio."""
    leadline_public_url: str | None = None
    """Where people reach the server, if not at the address where it says itself that it listens."""
    langgraph_api_url: str | None = None
    """What LangGraph's server says of itself."""

    def address(self) -> str:
        """Return the public address of this server, without a final slash; empty in other processes."""
        return (self.leadline_public_url or self.langgraph_api_url or "").rstrip("/")


@cache
def settings() -> Settings:
    """Return the settings of this process.

    Raises:
        SettingsError: a variable has an invalid value.
    """
    try:
        environment = Settings.model_validate({name.lower(): value for name, value in _variables().items()})
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0]).upper()
        raise SettingsError(**told("setting_invalid", name=name, reason=reason_of(problem))) from None
    _register_secrets(environment)
    return environment


def role_environment() -> dict[str, str]:
    """Return the variables whose names depend on a role, such as `LEADLINE_MODEL_PLANNER`, from the environment and `.env`."""
    return {name: value for name, value in _variables().items() if name.startswith("LEADLINE_")}


def endpoint_keys() -> dict[str, SecretStr]:
    """Return the keys of named endpoints, by the endpoint's name in capitals: `OPENAI_API_KEY_<NAME>`."""
    prefix = "OPENAI_API_KEY_"
    named = {name.removeprefix(prefix): value for name, value in _variables().items() if name.startswith(prefix)}
    return {name: SecretStr(value) for name, value in named.items()}


def secret_named(name: str) -> SecretStr | None:
    """Return the value of a variable that a search service's record names for its key or address; None if it is not set."""
    value = _variables().get(name)
    return None if value is None else SecretStr(value)


def _register_secrets(environment: Settings) -> None:
    """Register keys, tokens, and what addresses and further parameters hold of them, so that no text shows them."""
    typed = [getattr(environment, name) for name in Settings.model_fields]
    register_secrets(value.get_secret_value() for value in typed if isinstance(value, SecretStr))
    register_secrets(value for name, value in _variables().items() if "_API_KEY" in name or "://" in value)
    for name, value in _variables().items():
        if name.startswith("LEADLINE_EXTRA"):
            with suppress(ValueError):  # what is no JSON is refused where it is used
                register_named_secrets({name: json.loads(value)})


@cache
def _variables() -> dict[str, str]:
    """Return the variables of the environment and `.env`, by their names in capitals. Blocking when called first, which `settings` does."""
    try:
        from_file = dotenv()
    except OSError as error:
        raise SettingsError(**told("env_unread", reason=error.strerror)) from None
    variables = {name.upper(): value for name, value in {**from_file, **os.environ}.items() if value}
    return {name: clean_key(name, value) if "_API_KEY" in name else value for name, value in variables.items()}


def clean_key(name: str, value: str) -> str:
    """Return a key without the quotes, spaces and line breaks around it that copying brings along.

    Raises:
        SettingsError: a key of Leadline's own has such a character within it.
    """
    own = [place for place, char in enumerate(value) if "!" <= char <= "~" and char not in "\"'`"]
    key = value[own[0] : own[-1] + 1] if own else ""
    wrong = _NO_KEY.search(key)
    if wrong and name.startswith("OPENAI_API_KEY"):
        raise SettingsError(**told("key_odd", name=name, odd=wrong[0]))
    return key


def forget_settings() -> None:
    """Read the environment again at the next access; for tests and notebooks that change it."""
    settings.cache_clear()
    _variables.cache_clear()
    forget_secrets()
