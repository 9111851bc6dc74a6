"""Watching a run from outside: every node and every call from it is a line in the log and, where traces are wanted, a span.

Only names, numbers and types of errors are told.
"""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import urlsplit

from services.run.errors import LeadlineError
from services.run.log import DEBUG, INFO, WARNING, about, log
from services.run.traces import Span, span

Answer = TypeVar("Answer")

INSTANT = frozenset(
    [
        "clock",
        "seconds",
        "timeout",
        "answers",
        "portion",
        "rework",
        "round",
        "rules",
        "sections",
        "slides",
        "steering",
        "structured",
        "tools",
        "verify",
    ]
)
"""Kinds of the journal's entries that take no time: they are no calls, but what was seen and decided."""
_LEVELS = {"model": INFO, "gather": INFO, "search": INFO, "page": INFO, "tool": INFO, "code": INFO, "embedding": INFO}


async def watch_call(kind: str, name: str, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Make one call to the outside, and watch it.

    Args:
        kind: as the journal calls it: `model`, `search`, `page`, `tool`, `code`, …
        name: what is called; of texts (queries) and addresses only what may be logged is.
        call: makes it; what its answer or its error holds as `log_fields` goes into log and span.
    """
    if kind in INSTANT:
        return await call()
    fields: dict[str, object] = {}
    began = time.monotonic()
    what = loggable(kind, name)
    try:
        with span(Span.call(kind, what), fields):
            try:
                answer = await call()
            except LeadlineError as error:
                fields |= error.log_fields
                raise
            fields |= getattr(answer, "log_fields", {})
    except BaseException as error:
        log(kind, WARNING, what=what, seconds=_since(began), error=type(error).__name__, **fields)
        raise
    log(kind, _LEVELS.get(kind, DEBUG), what=what, seconds=_since(began), **fields)
    return answer


def log_known_answer(kind: str, name: str) -> None:
    """Log that a call was not made, because the journal knows its answer."""
    if kind not in INSTANT:
        log(kind, DEBUG, what=loggable(kind, name), journal=True)


@contextmanager
def watch_node(node: str, step: str, thread: str, key: str) -> Iterator[None]:
    """Watch one node, or one step of a plan.

    Args:
        node: its name.
        step: id of the step, or empty.
        thread: of the run; empty for a run without one.
        key: the run's, 32 hexadecimal digits; nodes of one run belong to one trace by it. Empty for a run without a thread.
    """
    began = time.monotonic()
    with about(run=thread, node=node, step=step):
        log("node_started", DEBUG)
        try:
            with span(Span.node(node, step, thread, key), {}):
                yield
        except BaseException as error:
            log("node_failed", WARNING, seconds=_since(began), error=type(error).__name__)
            raise
        log("node_finished", INFO, seconds=_since(began))


def loggable(kind: str, name: str) -> str | None:
    """Return what of a call's name says nothing of what was asked: roles, tools, hosts."""
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
