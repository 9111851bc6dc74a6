"""Structured logs: one line an event, with the run's id. What is logged are names and numbers, never texts or secrets.

`LEADLINE_LOG` chooses: `text` or `json` writes lines to stderr, `off` nothing. By default the lines go to whatever the process
does with the logger `leadline` of the standard library: a server shows them, the command line does not.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from typing import Any

from services.settings import settings

DEBUG, INFO, WARNING, ERROR = logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR
LOGGER = logging.getLogger("leadline")
LOGGER.addHandler(logging.NullHandler())  # else Python itself would print warnings of a process that configures nothing
_about: ContextVar[Mapping[str, object] | None] = ContextVar("about", default=None)


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Put fields into every line that is logged inside the block, also by tasks that are started there."""
    token = _about.set({**(_about.get() or {}), **{name: value for name, value in fields.items() if value}})
    try:
        yield
    finally:
        _about.reset(token)


def log(event: str, level: int = INFO, /, **fields: object) -> None:
    """Log one event.

    Args:
        event: its name, in snake case.
        level: of the standard library.
        fields: names, numbers and types of errors. No texts: no question, query, prompt, answer, page or message of an error.
    """
    logger = _configured()
    if logger.isEnabledFor(level):
        whole = {**(_about.get() or {}), **{name: value for name, value in fields.items() if value is not None}}
        logger.log(level, "%s", _text(event, whole), extra={"leadline": {"event": event, **whole}})


@cache
def _configured() -> logging.Logger:
    environment = settings()
    LOGGER.setLevel(environment.leadline_log_level.upper() if environment.leadline_log != "off" else logging.CRITICAL)
    LOGGER.propagate = environment.leadline_log == "auto"
    if environment.leadline_log in {"text", "json"}:
        handler = logging.StreamHandler()
        handler.setFormatter(_Json() if environment.leadline_log == "json" else _Line())
        LOGGER.addHandler(handler)
    return LOGGER


def forget_log() -> None:
    """Read the settings anew at the next line; tests that change them call this."""
    for handler in LOGGER.handlers[1:]:
        LOGGER.removeHandler(handler)
    _configured.cache_clear()


class _Json(logging.Formatter):
    """A JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = getattr(record, "leadline", {"event": record.name})
        whole = {"at": _time(record), "level": record.levelname.lower(), **fields}
        return json.dumps(whole, ensure_ascii=False, default=str)


class _Line(logging.Formatter):
    """Time, level, event, and `name=value` for each field."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{_time(record)} {record.levelname:<7} {record.getMessage()}"


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _text(event: str, fields: Mapping[str, object]) -> str:
    return " ".join([event, *(f"{name}={_shown(value)}" for name, value in fields.items())])


def _shown(value: object) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return json.dumps(text, ensure_ascii=False) if " " in text or not text else text
