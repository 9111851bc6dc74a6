"""Output of the command, without control sequences from quoted texts."""

import os

import typer
from rich.console import Console

from schemas.clean_text import clean_text


def echo(text: object, *, err: bool = False) -> None:
    """Write a text and a line end to standard output or standard error."""
    typer.echo(clean_text(str(text)), err=err)


def console_of(*, err: bool = False) -> Console:
    """Return a console on standard output or standard error with the terminal's size, not an exported one."""
    measured = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    return Console(stderr=err, highlight=False, _environ=measured)
