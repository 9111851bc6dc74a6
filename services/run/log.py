"""Structured logs: one line for each event, node and outside call, with the run's id. They hold names and numbers, never texts or secrets.

`LEADLINE_LOG` chooses: `text` or `json` writes lines to stderr, `off` nothing. By default the lines go to the standard
library's logger `leadline`: a server shows them, the command line does not. Traces are LangSmith's (docs/scripts.md).
"""

import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import TypeVar
from urllib.parse import urlsplit

from schemas.scoped import scoped
from schemas.usage import Usage
from services.run.errors import LeadlineError
from services.run.secrecy import without_secrets_in
from services.run.settings import settings
from services.text.sanitize import sanitize_lines

DEBUG, INFO, WARNING, ERROR = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR
LOGGER = logging.getLogger("leadline")
LOGGER.addHandler(logging.NullHandler())  # otherwise Python prints warnings of a process without log configuration
_setting_up = Lock()
"""Threads that log their first line at the same time must not set the log up twice."""
_about: ContextVar[Mapping[str, object] | None] = ContextVar("about", default=None)


@dataclass(frozen=True, slots=True)
class LogLine:
    """A logged event; its text form is `event name=value …`, which any log can show."""

    event: str
    fields: Mapping[str, object]

    def __str__(self) -> str:
        return " ".join([self.event, *(f"{name}={_shown(value)}" for name, value in self.fields.items())])


def about(**fields: object) -> AbstractContextManager[object]:
    """Add fields to every line that is logged inside the block, also by tasks that it starts."""
    return scoped(_about, {**(_about.get() or {}), **{name: value for name, value in fields.items() if value}})


def log(event: str, level: int = INFO, /, **fields: object) -> None:
    """Log one event.

    The fields are names, numbers and types of errors: no question, query, prompt, answer, page or message of an error.
    """
    with _setting_up:
        logger = _configured()
    if logger.isEnabledFor(level):
        values = {**(_about.get() or {}), **{name: value for name, value in fields.items() if value is not None}}
        logger.log(level, "%s", LogLine(event, sanitize_lines(without_secrets_in(values))))


@cache
def _configured() -> logging.Logger:
    environment = settings()
    LOGGER.setLevel(environment.leadline_log_level.upper() if environment.leadline_log != "off" else logging.CRITICAL)
    LOGGER.propagate = environment.leadline_log == "auto"
    if environment.leadline_log in {"text", "json"}:
        handler = logging.StreamHandler()
        handler.setFormatter(_Json() if environment.leadline_log == "json" else _Text())
        LOGGER.addHandler(handler)
    return LOGGER


def forget_log() -> None:
    """Read the settings again at the next line; for tests that change them."""
    for handler in LOGGER.handlers[1:]:
        LOGGER.removeHandler(handler)
    _configured.cache_clear()


class _Json(logging.Formatter):
    """Formats each line as a JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        line = record.args[0] if isinstance(record.args, tuple) and record.args else None
        fields = {"event": line.event, **line.fields} if isinstance(line, LogLine) else {"event": record.getMessage()}
        values = {"at": _time(record), "level": record.levelname.lower(), **fields}
        return json.dumps(values, ensure_ascii=False, default=str)


class _Text(logging.Formatter):
    """Formats each line as time, level, event, and `name=value` for each field."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{_time(record)} {record.levelname:<7} {record.getMessage()}"


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _shown(value: object) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return json.dumps(text, ensure_ascii=False) if " " in text or not text else text


Answer = TypeVar("Answer")

INSTANT = frozenset(
    "answers clock passages portion rework round rules seconds sections slides steering structured timeout tools verify".split()
)
"""Kinds of journal entries that take no time: observations and decisions, not calls."""
_LEVELS = {"model": INFO, "gather": INFO, "search": INFO, "page": INFO, "tool": INFO, "code": INFO, "embedding": INFO}


async def watch_call(kind: str, name: str, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Make an outside call, and log it.

    Args:
        kind: the journal's kind of the call: `model`, `search`, `page`, `tool`, `code`, …
        name: name of the callee; only the loggable part of queries and addresses is logged.
        call: makes the call; the `log_fields` of its answer or error go into the log.
    """
    if kind in INSTANT:
        return await call()
    fields: dict[str, object]
    began = time.monotonic()
    what = loggable(kind, name)
    try:
        answer = await call()
        fields = getattr(answer, "log_fields", {})
    except BaseException as error:
        fields = error.log_fields if isinstance(error, LeadlineError) else {}
        log(kind, WARNING, what=what, seconds=_since(began), error=type(error).__name__, **fields)
        raise
    log(kind, _LEVELS.get(kind, DEBUG), what=what, seconds=_since(began), **fields)
    return answer


def log_known_answer(kind: str, name: str) -> None:
    """Log that a call was not made because the journal holds its answer."""
    if kind not in INSTANT:
        log(kind, DEBUG, what=loggable(kind, name), journal=True)


@contextmanager
def watch_node(node: str, step: str, thread: str) -> Iterator[None]:
    """Log one node, or one step of a plan."""
    began = time.monotonic()
    with about(run=thread, node=node, step=step):
        log("node_started", DEBUG)
        try:
            yield
        except BaseException as error:
            log("node_failed", WARNING, seconds=_since(began), error=type(error).__name__)
            raise
        log("node_finished", INFO, seconds=_since(began))


def loggable(kind: str, name: str) -> str | None:
    """Return the part of a call's name that reveals nothing about the question: roles, tools, hosts."""
    if kind in {"model", "tool", "code"}:
        return name
    if kind == "page":
        try:
            return urlsplit(name).hostname
        except ValueError:
            return None
    return None


def _since(began: float) -> float:
    return round(time.monotonic() - began, 3)


def run_ended(thread: str, usage: Usage, status: str, **counts: int) -> None:
    """Log the end of a whole run, with its usage."""
    total = usage.total
    log(
        "run_finished",
        run=thread,
        status=status,
        seconds=round(usage.seconds, 3),
        calls=total.calls,
        tokens_in=total.input_tokens,
        tokens_out=total.output_tokens,
        cost=total.cost,
        searches=usage.searches,
        pages=usage.pages,
        **counts,
    )
