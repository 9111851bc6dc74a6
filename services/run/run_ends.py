"""Beginning and end of whole runs, as log and trace tell them."""

import asyncio
import time

from langgraph.config import get_config

from schemas.usage import Usage
from services.run.log import log
from services.run.traces import trace_run, tracing_wanted

_begun: dict[tuple[str, str], tuple[str, float]] = {}
"""The key of each run that is traced and under way in this process, and since when, by thread and run."""


def run_ended(thread: str, key: str, usage: Usage, status: str, **counts: int) -> None:
    """Say in log and trace that a whole run has ended, and what it took.

    Args:
        thread: of the run.
        key: of its journal.
        usage: of the whole run.
        status: `done`, or `direct` where no research was due.
        counts: what else is told of it, by name.
    """
    total = usage.total
    fields = {
        "status": status,
        "seconds": round(usage.seconds, 3),
        "calls": total.calls,
        "tokens_in": total.input_tokens,
        "tokens_out": total.output_tokens,
        "cost": total.cost,
        "searches": usage.searches,
        "pages": usage.pages,
        **counts,
    }
    log("run_finished", run=thread, **fields)
    run_over(thread, _run_id())
    trace_run(thread, key, usage.seconds, fields)


def run_stopped(thread: str, run: str, error: BaseException) -> None:
    """Say in the trace that a whole run was stopped or has failed, unless it had come to its end.

    Args:
        thread: of the run.
        run: its id where a server gives it one, else empty.
        error: what ended it.
    """
    begun = _begun.pop((thread, run), None)
    if begun is not None:
        key, since = begun
        cancelled = isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt)
        seconds = time.monotonic() - since
        fields = {"status": "cancelled" if cancelled else "failed", "seconds": round(seconds, 3)}
        trace_run(thread, key, seconds, fields, error=type(error).__name__)


def run_over(thread: str, run: str) -> None:
    """Forget a run that has ended, or waits for a person: what it does then is another part of it."""
    _begun.pop((thread, run), None)


def run_begun(thread: str, key: str) -> None:
    """Remember when a run began in this process, where it is traced; called again, it changes nothing."""
    if thread and tracing_wanted():
        _begun.setdefault((thread, _run_id()), (key, time.monotonic()))


def _run_id() -> str:
    return str(get_config().get("configurable", {}).get("run_id") or "")
