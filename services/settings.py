"""Secrets and endpoints, from the environment or `.env`. What a run can choose is in `schemas/context.py` instead."""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from services.errors import SettingsError

PROJECT_ROOT = Path(__file__).resolve().parent.parent


def _paths(value: object) -> object:
    """Split a list of folders as the operating system writes them (`a:b`)."""
    import os

    if isinstance(value, str):
        return [Path(part) for part in value.split(os.pathsep) if part.strip()]
    return value


class Settings(BaseSettings):
    """The environment, checked once. An empty variable counts as not set."""

    model_config = SettingsConfigDict(env_file=".env", extra="ignore", env_ignore_empty=True)

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    leadline_model: str | None = None
    tavily_api_key: SecretStr | None = None
    tavily_base_url: str | None = None
    leadline_search: Literal["auto", "tavily", "documents", "none"] = "auto"
    leadline_allow_private_hosts: str = ""
    leadline_docs: Annotated[list[Path], NoDecode, BeforeValidator(_paths)] = Field(default_factory=list)
    leadline_sandbox: Literal["isolated", "unsafe"] = "isolated"
    leadline_home: Path = Path(".leadline")


@cache
def settings() -> Settings:
    """Return the settings of this process.

    Raises:
        SettingsError: a variable holds something impossible.
    """
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"]).upper()
        raise SettingsError(
            f"{name} cannot be used: {problem['msg']}. Correct it in the environment or .env."
        ) from None
