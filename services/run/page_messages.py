"""Adapts messages for users of a server's page: without options, settings and commands, which only an operator has.

A user of a server has its page, and neither its command line nor its environment. What is left out goes to the server's log.
"""

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from schemas.later_rooms import later_if_loaded

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


@contextmanager
def on_a_page(configuration: Mapping[str, object] | None = None) -> Iterator[None]:
    """Use the page's messages while the block runs: for a server's messages outside of runs.

    There is no effect if a server did not write the configuration.
    """
    token = _on_a_page.set(configuration is None or not _CALLERS.isdisjoint(configuration))
    try:
        yield
    finally:
        _on_a_page.reset(token)


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
