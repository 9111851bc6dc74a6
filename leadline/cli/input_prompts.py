"""Asks a person at the terminal for a choice, a value, or a key, which is typed unseen."""

import os
from collections.abc import Mapping

import typer

from services.run.errors import BadInput


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
