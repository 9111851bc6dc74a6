"""The model that a person connected in the page: its address, key and name, in this process's memory only.

The operator's own settings come first: nothing is connected beside them, so that no key and no parameter of theirs goes to
an address that somebody typed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from pydantic import SecretStr

from services.run.secrecy import register_secrets
from services.run.settings import endpoint_keys, role_environment, settings

_OF_MODELS = ("LEADLINE_MODEL", "LEADLINE_BASE_URL_", "LEADLINE_EXTRA")
"""Beginnings of the operator's variables that concern models."""


@dataclass(frozen=True, slots=True)
class Connection:
    """An OpenAI-compatible endpoint and one of its models."""

    base_url: str | None
    """None for OpenAI itself."""
    api_key: SecretStr | None = field(repr=False)
    model: str
    """Its name; empty for the one that the endpoint lists."""


class _Kept:
    connection: Connection | None = None


_tried: ContextVar[Connection | None] = ContextVar("tried", default=None)


def connection() -> Connection | None:
    """Return the connection of this process, or the one that is being tried out."""
    return _tried.get() or _Kept.connection


def connect(connection: Connection | None) -> None:
    """Use a connection for all runs from now on; None ends it."""
    _Kept.connection = connection


@contextmanager
def tried_out(connection: Connection) -> Iterator[None]:
    """Use a connection inside the block only. Its key is masked in every text from now on."""
    register_secrets([connection.api_key.get_secret_value()] if connection.api_key else [])
    register_secrets([connection.base_url] if connection.base_url else [])
    token = _tried.set(connection)
    try:
        yield
    finally:
        _tried.reset(token)


def operator_has_model() -> bool:
    """Tell whether the environment sets anything of models."""
    named = any(name.startswith(_OF_MODELS) for name in role_environment())
    return (
        named
        or bool(endpoint_keys())
        or settings().openai_api_key is not None
        or settings().openai_base_url is not None
    )
