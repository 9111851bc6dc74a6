"""Adapts messages for users of Python: arguments and functions in the place of options and commands of the command line."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)
_FUNCTIONS = {"research": "research", "resume": "aresume", "runs": "aruns"}
"""Functions of `leadline` that do what a command does."""
_PART = re.compile(
    r"\bleadline (?P<command>[a-z]+)(?P<rest>(?>(?:[^.;,`()]|\.(?=\S))*))|(?<![\w-])--(?P<option>[a-z]+(?:-[a-z]+)*)(?: [A-Z]{2,}\b)?"
)
"""A whole command line, whose options stay as they are, or an option."""
_RUN = re.compile(r" [A-Za-z0-9][\w-]*")
_arguments: dict[str, str] = {}


def register_arguments(arguments: Mapping[str, str]) -> None:
    """Register the names of arguments whose options have other names, by option."""
    _arguments.update(arguments)


@contextmanager
def on_the_command_line() -> Iterator[None]:
    """Use options and commands in the messages of the block."""
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def is_python() -> bool:
    """Tell whether this code was called from Python, and not by the command."""
    return not _on_command_line.get()


def as_named(argument: str) -> str:
    """Return an argument as its user names it: on the command line as the option, if there is one."""
    option = next((option for option, name in _arguments.items() if name == argument), "")
    return argument if is_python() or not option else f"--{option}"


def for_python(text: str) -> str:
    """Return a message with arguments and functions: `docs` for `--docs DIR`, `leadline.aruns()` for `leadline runs`."""
    return _PART.sub(_in_python, text)


def _in_python(match: re.Match[str]) -> str:
    option, command, rest = match["option"], match["command"], match["rest"]
    if option:
        return f"`{_arguments.get(option, option.replace('-', '_'))}`"
    if command not in _FUNCTIONS or (rest.strip() and not (command == "resume" and _RUN.fullmatch(rest))):
        return match[0]
    return f"leadline.{_FUNCTIONS[command]}({repr(rest.strip()) if rest.strip() else ''}){'' if rest.strip() else rest}"
