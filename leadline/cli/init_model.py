"""The part of `leadline init` that asks a person, and that connects a model: a local server, a provider, or any endpoint, and its list of models."""

import asyncio
import os
from collections.abc import Mapping

import typer
from pydantic import SecretStr

from leadline.setup.env_file import PROVIDERS, Provider
from leadline.setup.model_setup import OLLAMA, LocalServer, base_url_at, local_servers, package_missing, usual_ports
from services.models.server_models import choice_among, listed_models, writing_models
from services.run.errors import BadInput
from services.run.roles import OFFLINE


def choose(question: str, choices: Mapping[str, str], default: str) -> str:
    """Ask a person to choose by number or name."""
    names = list(choices)
    typer.echo(f"\n{question}", err=True)
    for place, name in enumerate(names, 1):
        typer.echo(f"  {place}  {choices[name]}", err=True)
    while True:
        typed = str(typer.prompt("Number", default=names.index(default) + 1, type=str, err=True)).strip()
        if typed in names:
            return typed
        if typed.isdecimal() and 1 <= int(typed) <= len(names):
            return names[int(typed) - 1]
        typer.echo(f"Type a number from 1 to {len(names)}.", err=True)


def typed_value(what: str, option: str, asking: bool, default: str = "") -> str:
    """Ask a person for a value.

    Raises:
        BadInput: no person can be asked; the message names the option instead.
    """
    if not asking:
        raise BadInput(f"{what}: use {option}, because no questions can be asked here.")
    return str(typer.prompt(what, default=default or None, err=True)).strip()


def typed_key(variable: str, what: str, asking: bool, *, needed: bool) -> str:
    """Return a key from the environment, or typed unseen.

    Raises:
        BadInput: the key is missing or invalid.
    """
    from_environment = os.environ.get(variable, "").strip()
    if from_environment:
        typer.echo(f"{what}: taken from {variable} in the environment.", err=True)
        return from_environment
    if not asking:
        if needed:
            raise BadInput(f"{what} is missing. Put it into the environment variable {variable}, then start again.")
        return ""
    hint = "it is not shown" if needed else "it is not shown; Enter: none"
    typed = typer.prompt(
        f"{what} ({hint})", default=None if needed else "", show_default=False, hide_input=True, err=True
    )
    key = str(typed).strip()
    if not key.isprintable() or any(char.isspace() for char in key):
        raise BadInput(f"{what} cannot be used: a key has no spaces and no unprintable characters. Copy it again.")
    return key


ENDPOINT = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LEADLINE_MODEL")
"""Settings of an endpoint and its model."""
MAX_SHOWN = 25
"""Maximum models listed to choose from; others can be typed."""


def model_settings(
    provider: str | None, endpoint: str | None, model: str | None, asking: bool, before: Mapping[str, str]
) -> dict[str, str]:
    """Return the settings of the model; missing options are asked for.

    A model among the settings `before` is turned off where none is chosen.

    Raises:
        BadInput: there is no such provider, a setting is missing and no person can be asked, or the address is invalid.
    """
    name = provider or ("other" if endpoint else None)
    local: LocalServer | None = None
    if name is None:
        name, local = _choose_provider() if asking else ("none", None)
    if name == "none":
        return {"LEADLINE_MODEL": OFFLINE} if (provider or asking) and any(map(before.get, ENDPOINT)) else {}
    if name not in PROVIDERS:
        raise BadInput(f"There is no provider {name!r}. There are: {', '.join(PROVIDERS)}.")
    known = PROVIDERS[name]
    if known.integration:
        return _own_package(known, model, asking)
    address = endpoint or (local.base_url if local else known.endpoint)
    if known.server and not address:
        address = base_url_at(usual_ports()[known.server])
    if not address and name == "other":
        address = typed_value("Address of the endpoint, such as http://127.0.0.1:8080/v1", "--endpoint", asking)
    if address and not address.startswith(("http://", "https://")):
        raise BadInput(f"The endpoint {address!r} is not an address. Write it as http://127.0.0.1:8080/v1.")
    key = (
        ""
        if local
        else typed_key("OPENAI_API_KEY", f"Key for {known.title.split(' (')[0]}", asking, needed=known.needs_key)
    )
    chosen = model or _chosen_model(address, key, asking)
    if name == "ollama" and (command := package_missing(OLLAMA)):
        typer.echo(f"Note: to set the context size of Ollama, install its package: {command}", err=True)
    return {variable: value for variable, value in zip(ENDPOINT, (key, address, chosen), strict=True) if value}


def _own_package(provider: Provider, model: str | None, asking: bool) -> dict[str, str]:
    title = provider.title
    key = typed_key(provider.key_variable, f"Key for {title}", asking, needed=True) if provider.needs_key else ""
    what = f"Name of the model at {title}" if provider.needs_key else "Path of the file, such as /models/model.gguf"
    name = model or typed_value(what, "--model", asking)
    chosen = f"{provider.integration}:{name.removeprefix(f'{provider.integration}:')}"
    return {"LEADLINE_MODEL": chosen, **({provider.key_variable: key} if key else {})}


def _choose_provider() -> tuple[str, LocalServer | None]:
    """Ask for the model; local servers are listed first."""
    servers = {f"local-{place}": server for place, server in enumerate(asyncio.run(local_servers()), 1)}
    choices = {name: f"{server.title} on this machine: {server.names()}" for name, server in servers.items()}
    running = {server.title for server in servers.values()}
    choices |= {name: entry.title for name, entry in PROVIDERS.items() if entry.server not in running}
    name = choose("Which provider runs the model?", choices, next(iter(servers), "none"))
    if name not in servers:
        return name, None
    return next(key for key, entry in PROVIDERS.items() if entry.server == servers[name].title), servers[name]


def _chosen_model(address: str, key: str, asking: bool) -> str:
    """Return the model that a person chooses from the endpoint's list, or the preferred one without a person."""
    listed = asyncio.run(listed_models(address or None, SecretStr(key) if key else None))
    writing, natural = writing_models(listed), choice_among(listed, address)
    if not asking:
        if natural:
            typer.echo(f"Model: {natural}, from {len(writing)} that the endpoint offers.", err=True)
            return natural
        lists = f"The endpoint offers {', '.join(writing[:MAX_SHOWN])}." if writing else "The endpoint offers none."
        raise BadInput(f"Name the model with --model, because no questions can be asked here. {lists}")
    if not writing:
        return typed_value("Model", "--model", asking)
    shown = list(dict.fromkeys([*([natural] if natural else []), *writing]))[:MAX_SHOWN]
    typer.echo("\nWhich model? The endpoint offers:", err=True)
    for place, name in enumerate(shown, 1):
        typer.echo(f"  {place}  {name}", err=True)
    if len(writing) > len(shown):
        typer.echo(f"  … and {len(writing) - len(shown)} more", err=True)
    typed = typed_value("Model, by number or name", "--model", asking, natural or shown[0])
    return shown[int(typed) - 1] if typed.isdecimal() and 1 <= int(typed[:4]) <= len(shown) else typed
