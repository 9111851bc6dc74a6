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
from services.run.ui_text import say, told


def choose(question: str, choices: Mapping[str, str], default: str) -> str:
    """Ask a person to choose by number or name."""
    names = list(choices)
    typer.echo(f"\n{question}", err=True)
    for place, name in enumerate(names, 1):
        typer.echo(f"  {place}  {choices[name]}", err=True)
    while True:
        typed = str(typer.prompt(say("init_number"), default=names.index(default) + 1, type=str, err=True)).strip()
        if typed in names:
            return typed
        if typed.isdecimal() and 1 <= int(typed) <= len(names):
            return names[int(typed) - 1]
        typer.echo(say("init_number_from", count=len(names)), err=True)


def typed_value(what: str, option: str, asking: bool, default: str = "") -> str:
    """Ask a person for a value.

    Raises:
        BadInput: no person can be asked; the message names the option instead.
    """
    if not asking:
        raise BadInput(**told("init_use", what=what, option=option))
    return str(typer.prompt(what, default=default or None, err=True)).strip()


def typed_key(variable: str, what: str, asking: bool, *, needed: bool) -> str:
    """Return a key from the environment, or typed unseen.

    Raises:
        BadInput: the key is missing or invalid.
    """
    from_environment = os.environ.get(variable, "").strip()
    if from_environment:
        typer.echo(say("init_taken", what=what, variable=variable), err=True)
        return from_environment
    if not asking:
        if needed:
            raise BadInput(**told("init_missing", what=what, variable=variable))
        return ""
    asked = say("init_unseen" if needed else "init_unseen_or_none", what=what)
    typed = typer.prompt(asked, default=None if needed else "", show_default=False, hide_input=True, err=True)
    key = str(typed).strip()
    if not key.isprintable() or any(char.isspace() for char in key):
        raise BadInput(**told("init_odd_key", what=what))
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
        raise BadInput(**told("init_no_provider", name=name, names=", ".join(PROVIDERS)))
    known = PROVIDERS[name]
    if known.integration:
        return _own_package(known, model, asking)
    address = endpoint or (local.base_url if local else known.endpoint)
    if known.server and not address:
        address = base_url_at(usual_ports()[known.server])
    if not address and name == "other":
        address = typed_value(say("init_endpoint"), "--endpoint", asking)
    if address and not address.startswith(("http://", "https://")):
        raise BadInput(**told("init_no_address", address=address))
    key = (
        ""
        if local
        else typed_key(
            "OPENAI_API_KEY", say("init_key", title=known.words().split(" (")[0]), asking, needed=known.needs_key
        )
    )
    chosen = model or _chosen_model(address, key, asking)
    if name == "ollama" and (command := package_missing(OLLAMA)):
        typer.echo(say("init_ollama", command=command), err=True)
    return {variable: value for variable, value in zip(ENDPOINT, (key, address, chosen), strict=True) if value}


def _own_package(provider: Provider, model: str | None, asking: bool) -> dict[str, str]:
    title = provider.words()
    key = (
        typed_key(provider.key_variable, say("init_key", title=title), asking, needed=True)
        if provider.needs_key
        else ""
    )
    what = say("init_model_at" if provider.needs_key else "init_path", title=title)
    name = model or typed_value(what, "--model", asking)
    chosen = f"{provider.integration}:{name.removeprefix(f'{provider.integration}:')}"
    return {"LEADLINE_MODEL": chosen, **({provider.key_variable: key} if key else {})}


def _choose_provider() -> tuple[str, LocalServer | None]:
    """Ask for the model; local servers are listed first."""
    servers = {f"local-{place}": server for place, server in enumerate(asyncio.run(local_servers()), 1)}
    choices = {name: say("init_found", title=server.title, models=server.names()) for name, server in servers.items()}
    running = {server.title for server in servers.values()}
    choices |= {name: entry.words() for name, entry in PROVIDERS.items() if entry.server not in running}
    name = choose(say("init_which_provider"), choices, next(iter(servers), "none"))
    if name not in servers:
        return name, None
    return next(key for key, entry in PROVIDERS.items() if entry.server == servers[name].title), servers[name]


def _chosen_model(address: str, key: str, asking: bool) -> str:
    """Return the model that a person chooses from the endpoint's list, or the preferred one without a person."""
    listed = asyncio.run(listed_models(address or None, SecretStr(key) if key else None))
    writing, natural = writing_models(listed), choice_among(listed, address)
    if not asking:
        if natural:
            typer.echo(say("init_model_of", model=natural, count=len(writing)), err=True)
            return natural
        lists = say("init_offers", models=", ".join(writing[:MAX_SHOWN])) if writing else say("init_offers_none")
        raise BadInput(**told("init_name_model", lists=lists))
    if not writing:
        return typed_value(say("init_model"), "--model", asking)
    shown = list(dict.fromkeys([*([natural] if natural else []), *writing]))[:MAX_SHOWN]
    typer.echo(f"\n{say('init_which_model')}", err=True)
    for place, name in enumerate(shown, 1):
        typer.echo(f"  {place}  {name}", err=True)
    if len(writing) > len(shown):
        typer.echo(f"  {say('init_more', count=len(writing) - len(shown))}", err=True)
    typed = typed_value(say("init_model_by"), "--model", asking, natural or shown[0])
    return shown[int(typed) - 1] if typed.isdecimal() and 1 <= int(typed[:4]) <= len(shown) else typed
