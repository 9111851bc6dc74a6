"""What the command writes: text that a terminal shows and does not obey, whatever it quotes."""

import typer

from schemas.clean import clean_text


def echo(text: object, *, err: bool = False) -> None:
    """Write a text and a line end to standard output, or to standard error."""
    typer.echo(clean_text(str(text)), err=err)
