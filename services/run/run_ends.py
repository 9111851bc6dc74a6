"""Start and end of whole runs in log and trace."""

import asyncio
import time

from langgraph.config import get_config

from schemas.usage import Usage
from services.run.log import log
from services.run.traces import trace_run, tracing_wanted

_begun: dict[tuple[str, str], tuple[str, float]] = {}
"""Key and start time of each traced run under way in this process, by thread and run."""


def run_ended(thread: str, key: str, usage: Usage, status: str, **counts: int) -> None:
    """Log and trace the end of a whole run, with its usage.

    Args:
        thread: id of the run's thread.
        key: key of its journal.
        usage: usage of the whole run.
        status: `done`, or `direct` if no research was needed.
        counts: further numbers, by name.
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
    """Trace that a whole run was stopped or failed, unless it had ended.

    Args:
        thread: id of the run's thread.
        run: id of the run on a server, else empty.
        error: the error that ended it.
    """
    begun = _begun.pop((thread, run), None)
    if begun is not None:
        key, since = begun
        cancelled = isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt)
        seconds = time.monotonic() - since
        fields = {"status": "cancelled" if cancelled else "failed", "seconds": round(seconds, 3)}
        trace_run(thread, key, seconds, fields, error=type(error).__name__)


def run_over(thread: str, run: str) -> None:
    """Forget a run that has ended or waits for a person: its continuation counts as another part."""
    _begun.pop((thread, run), None)


def run_begun(thread: str, key: str) -> None:
    """Record the start time of a traced run in this process; repeated calls change nothing."""
    if thread and tracing_wanted():
        _begun.setdefault((thread, _run_id()), (key, time.monotonic()))


def _run_id() -> str:
    return str(get_config().get("configurable", {}).get("run_id") or "")
