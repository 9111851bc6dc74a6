"""OpenAI-compatible endpoints that the operator configured, each with its own address and key.

`OPENAI_BASE_URL` and `OPENAI_API_KEY` are those of the endpoint `default`. `LEADLINE_BASE_URL_<NAME>` and
`OPENAI_API_KEY_<NAME>` are those of the endpoint NAME: a role uses the endpoint of its own name, and a run may name any.
A key goes to no other address than its own. Where the environment sets nothing of this, a person may have connected a model
in the page, kept in this process's memory only, which is the endpoint `default` then. Nothing is connected beside the operator's
own settings, so that no key and no parameter of theirs goes to an address that somebody typed.
"""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field

from pydantic import SecretStr

from schemas.scoped import scoped
from services.run.errors import BadInput, SettingsError
from services.run.secrecy import register_secrets, shown_address
from services.run.settings import endpoint_keys, role_environment, settings
from services.run.ui_text import say, told

GENERAL = "default"
"""Name of the endpoint of all roles without their own endpoint."""
_ADDRESS, _KEY = "LEADLINE_BASE_URL_", "OPENAI_API_KEY_"
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


class _Connected:
    connection: Connection | None = None


_tried: ContextVar[Connection | None] = ContextVar("tried", default=None)


def connection() -> Connection | None:
    """Return the connection of this process, or the one that is being tried out."""
    return _tried.get() or _Connected.connection


def connect(connection: Connection | None) -> None:
    """Use a connection for all runs from now on; None ends it."""
    _Connected.connection = connection


def tried_out(connection: Connection) -> AbstractContextManager[object]:
    """Use a connection inside the block only. Its key is masked in every text from now on."""
    register_secrets([connection.api_key.get_secret_value()] if connection.api_key else [])
    register_secrets([connection.base_url] if connection.base_url else [])
    return scoped(_tried, connection)


def operator_has_model() -> bool:
    """Tell whether the environment sets anything of models."""
    named = any(name.startswith(_OF_MODELS) for name in role_environment())
    return (
        named
        or bool(endpoint_keys())
        or settings().openai_api_key is not None
        or settings().openai_base_url is not None
    )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address and key of an OpenAI-compatible API."""

    base_url: str | None
    """Base address; None for OpenAI itself."""
    api_key: SecretStr | None = field(repr=False)
    """Key of the requests; None for requests without a key."""
    address_variable: str = "OPENAI_BASE_URL"
    """Name of the environment variable that holds the address, for messages."""
    key_variable: str = "OPENAI_API_KEY"


def endpoint_of(role: str) -> Endpoint | None:
    """Return the endpoint that the environment sets for a role, or None.

    Raises:
        SettingsError: the address is not an http address.
    """
    if connection() is not None:
        return _general()
    if f"{_ADDRESS}{role.upper()}" in role_environment():
        return _own(role.upper())
    general, own_key = _general(), endpoint_keys().get(role.upper())
    if own_key is not None:
        return Endpoint(general.base_url, own_key, key_variable=f"{_KEY}{role.upper()}")
    return general if general.base_url is not None or general.api_key is not None else None


def endpoint_named(name: str) -> Endpoint:
    """Return the endpoint of a name that a run chose.

    Raises:
        BadInput: the operator configured no endpoint of that name.
        SettingsError: the address is not an http address.
    """
    known = endpoint_names()
    if name.lower() not in known:
        if not known:
            raise BadInput(**told("endpoint_none", name=name, setting=name.upper()))
        raise BadInput(**told("endpoint_unknown", name=name, setting=name.upper(), known=", ".join(known)))
    return _general() if name.lower() == GENERAL else _own(name.upper())


def endpoint_names() -> list[str]:
    """Return the names of all endpoints, the default endpoint first."""
    has_general = (
        connection() is not None or settings().openai_api_key is not None or settings().openai_base_url is not None
    )
    own = sorted(name.removeprefix(_ADDRESS).lower() for name in role_environment() if name.startswith(_ADDRESS))
    return [*([GENERAL] if has_general else []), *(name for name in own if name != GENERAL)]


def all_plain() -> bool:
    """Tell whether no configured endpoint uses TLS."""
    addresses = [settings().openai_base_url or ""]
    addresses += [address for name, address in role_environment().items() if name.startswith(_ADDRESS)]
    return all(address.startswith("http://") for address in addresses)


def _general() -> Endpoint:
    if (connected := connection()) is not None:
        return Endpoint(connected.base_url, connected.api_key, say("address_of_model"), say("key_of_model"))
    address = settings().openai_base_url
    return Endpoint(_http("OPENAI_BASE_URL", address) if address is not None else None, settings().openai_api_key)


def _own(name: str) -> Endpoint:
    variable = f"{_ADDRESS}{name}"
    address = _http(variable, role_environment()[variable])
    return Endpoint(address, endpoint_keys().get(name), variable, f"{_KEY}{name}")


def _http(variable: str, address: str) -> str:
    if not address.startswith(("http://", "https://")):
        raise SettingsError(**told("endpoint_no_address", variable=variable, address=shown_address(address)))
    return address
