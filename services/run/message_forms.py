"""Adapts messages to their readers: users of a server's page, and users of Python.

A user of a server has its page, and neither its command line nor its environment: messages do without options, settings and commands,
and what is left out goes to the server's log. For a user of Python, arguments and functions stand in the place of options and commands.
"""

import logging
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar

from schemas.later_rooms import later_if_loaded
from schemas.scoped import scoped

_LOGGER = logging.getLogger("leadline")
_CALLERS = frozenset({"langgraph_auth_user", "langgraph_auth_user_id"})
"""Keys that servers write into a run's configuration, with and without tokens."""
_on_a_page: ContextVar[bool] = ContextVar("on_a_page", default=False)
OPERATORS_WORDS = re.compile(
    r"LEADLINE_[A-Z]|_API_KEY\b|_BASE_URL\b|\bOLLAMA_HOST\b|\bOTEL_|\.env\b|\bleadline [a-z]|\bpip install\b|\bapt-get\b"
    r"|(?<![\w-])--(?:bundle|depth|docs|format|judge|out|profile|search|upgrade)\b"
)
"""Settings, commands and options: useless to users who have only the page."""
_IN_BRACKETS = re.compile(r" ?\([^()]*\)")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s(?=\S)")
_BETWEEN_ADVICE = re.compile(r"[,;] (?:or|and|then) ")
_NOT_SET_UP = "This server is not set up for this."
_IN_THE_LOG = "The operator of this server finds what to do in its log."


def is_served() -> bool:
    """Tell whether this code runs for a user of a server, who has a page and not this machine's command line."""
    return _on_a_page.get() or not _CALLERS.isdisjoint(run_configuration())


def on_a_page(configuration: Mapping[str, object] | None = None) -> AbstractContextManager[bool]:
    """Use the page's messages while the block runs: for a server's messages outside of runs.

    There is no effect if a server did not write the configuration.
    """
    return scoped(_on_a_page, configuration is None or not _CALLERS.isdisjoint(configuration))


def run_configuration() -> Mapping[str, object]:
    """Return the configuration of the current run; empty outside of runs."""
    configuration = later_if_loaded("configuration")
    return configuration() if configuration else {}


def for_a_page(text: str, page: str = "") -> str:
    """Return a message without operators' terms; the log has the full text.

    They are removed from the text where there is no message for the page: brackets with them, then the alternatives of a sentence, then
    the whole sentence.
    """
    sentences = _BETWEEN_SENTENCES.split(text)
    advice = [sentence for sentence in sentences if OPERATORS_WORDS.search(sentence)]
    if advice:
        _LOGGER.warning("operator_advice %s", " ".join(advice))
    if page or not advice:
        return page or text
    shown = [part for sentence in sentences if (part := _of_a_sentence(sentence))]
    told = " ".join(shown or [_NOT_SET_UP])
    return f"{told if told.endswith(('.', '!', '?')) else f'{told}.'} {_IN_THE_LOG}"


def _of_a_sentence(sentence: str) -> str:
    sentence = _IN_BRACKETS.sub(lambda match: "" if OPERATORS_WORDS.search(match[0]) else match[0], sentence)
    if not OPERATORS_WORDS.search(sentence):
        return "" if sentence in {".", ""} else sentence
    *parts, end = _BETWEEN_ADVICE.split(sentence.rstrip(".!?"))
    left = [part for part in [*parts, end] if not OPERATORS_WORDS.search(part)]
    joined = ", or ".join(left)
    return f"{joined[:1].upper()}{joined[1:]}." if joined else ""


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


def on_the_command_line() -> AbstractContextManager[bool]:
    """Use options and commands in the messages of the block."""
    return scoped(_on_command_line, True)


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
    if command == "follow" and rest.strip() in {"", '"…"'}:
        return 'leadline.research("…", after="latest")'
    if command not in _FUNCTIONS or (rest.strip() and not (command == "resume" and _RUN.fullmatch(rest))):
        return match[0]
    return f"leadline.{_FUNCTIONS[command]}({repr(rest.strip()) if rest.strip() else ''}){'' if rest.strip() else rest}"
