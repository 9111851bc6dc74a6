"""Output in a terminal: without control sequences from quoted texts, with commands as they run here, in lines that fit."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TextIO

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from schemas.clean_text import clean_text
from services.run.errors import LeadlineError
from services.run.ui_text import say, told

_COMMAND = re.compile(r"(?<![\w./\\-])(?<!runpip )leadline (?=[a-z])")
"""A command of this program; `pipx runpip leadline install` names an environment."""


def program() -> str:
    """Return the command that starts this program here: its name if the shell finds it, else its path, relative if below the working folder."""
    script = Path(sys.argv[0])
    if script.stem != "leadline" or not script.is_file():
        return "leadline"
    executable = (
        None if "UV" in os.environ else shutil.which("leadline")
    )  # uvx and `uv run` change PATH for this process alone
    if executable is not None and script.samefile(executable):
        return "leadline"
    below = os.path.relpath(script) if script.absolute().is_relative_to(Path.cwd()) else str(script)
    return argument(below if os.sep in below else f".{os.sep}{below}")


def argument(text: str) -> str:
    """Return a text as one argument of a command."""
    return f'"{text}"' if " " in text else text


def as_typed(hint: str) -> str:
    """Return a hint with its commands as a person can type them."""
    return _COMMAND.sub(lambda _: f"{program()} ", hint)


def echo(text: object, *, err: bool = False) -> None:
    """Write a text and a line end to standard output or standard error, where commands stand as a person can type them.

    Raises:
        LeadlineError: nothing can be written there, as on a full disk.
        BrokenPipeError: its reader is gone.
    """
    try:
        typer.echo(clean_text(as_typed(str(text)) if err else str(text)), err=err)
    except OSError as error:
        lead_nowhere(sys.stderr if err else sys.stdout)
        if isinstance(error, BrokenPipeError):
            raise
        name = say("stream_error" if err else "stream_output")
        raise LeadlineError(**told("stream_unwritable", stream=name, reason=error.strerror)) from None


def lead_nowhere(stream: TextIO) -> None:
    """Discard what a stream that takes nothing still holds, or the last flush at the end of the process would fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class _Console(Console):
    """A console that leaves a closed pipe to the command, where rich would end the process and leave its run unrecorded."""

    def on_broken_pipe(self) -> None:
        """Say that the reader is gone."""
        raise BrokenPipeError


def console_of(*, err: bool = False) -> Console:
    """Return a console on standard output or standard error with the terminal's size, not an exported one."""
    measured = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    return _Console(stderr=err, highlight=False, _environ=measured)


_NOT_FIRST = frozenset("，。、；：？！）》】」』”’…—·％%,.;:?!)]}[")
"""Characters that must not start a line; a bracket starts a citation mark."""
_NOT_LAST = frozenset("（《【「『“‘([{")
"""Characters that must not end a line."""


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text as lines.

    Line ends stay, and lines do not break at no-break spaces; `width` is at least 2.
    """
    lines = []
    for paragraph in text.split("\n", allow_blank=True):
        for line in paragraph.divide(_places(paragraph.plain, width)):
            line.rstrip()
            lines.append(line)
    return lines


def _places(text: str, width: int) -> list[int]:
    """Return the offsets of line starts; a word longer than a line is broken anywhere."""
    places: list[int] = []
    begin = allowed = columns = 0
    for place, char in enumerate(text):
        if place > begin and _may_break(text[place - 1], char):
            allowed = place
        size = cell_len(char)
        if columns + size > width and place > begin and char != " ":
            begin = allowed if allowed > begin else place
            places.append(begin)
            columns = cell_len(text[begin:place])
        columns += size
    return places


def _may_break(before: str, after: str) -> bool:
    if before == " ":
        return after != " "
    return 2 in {cell_len(before), cell_len(after)} and before not in _NOT_LAST and after not in _NOT_FIRST
