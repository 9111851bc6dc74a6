"""Observability of a run: the whole, every node and every outside call is a log line.

Only names, numbers and types of errors are recorded. Traces are LangSmith's (docs/scripts.md).
"""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import urlsplit

from schemas.usage import Usage
from services.run.errors import LeadlineError
from services.run.log import DEBUG, INFO, WARNING, about, log

Answer = TypeVar("Answer")

INSTANT = frozenset(
    [
        "answers",
        "clock",
        "passages",
        "portion",
        "rework",
        "round",
        "rules",
        "seconds",
        "sections",
        "slides",
        "steering",
        "structured",
        "timeout",
        "tools",
        "verify",
    ]
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
