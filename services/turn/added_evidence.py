"""Research for a report that is being written: what it may spend besides what is kept for writing, and what it brings that is new."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from schemas.evidence import Excerpt
from schemas.state import ResearchState, plans_of
from schemas.usage import Allowance
from services.evidence.views import steps_by_id
from services.run.budget import REPORT_SHARE
from services.run.scope import Run


def has_room(run: Run) -> bool:
    """Tell whether anything is left besides what is kept for the report."""
    left = _without_the_reports_share(run)
    room = run.budget.room()
    tokens_left = room is None or room > REPORT_SHARE * (run.context.max_tokens or 0)
    return tokens_left and left.seconds > run.seconds and (left.cost is None or left.cost > 0)


@contextmanager
def besides_the_report(run: Run) -> Iterator[None]:
    """Keep the report's share of the limits while the block runs."""
    held = run.budget.allowance
    run.budget.allowance = _without_the_reports_share(run)
    try:
        yield
    finally:
        run.budget.allowance = held


def _without_the_reports_share(run: Run) -> Allowance:
    context, allowance = run.context, run.budget.allowance
    tokens_kept, cost_kept = REPORT_SHARE * (context.max_tokens or 0), REPORT_SHARE * (context.max_cost or 0.0)
    return allowance.model_copy(
        update={
            "tokens": None if allowance.tokens is None else int(allowance.tokens - tokens_kept),
            "cost": None if allowance.cost is None else allowance.cost - cost_kept,
            "seconds": allowance.seconds - REPORT_SHARE * context.max_seconds,
        }
    )


def last_step(state: ResearchState) -> int:
    """Return the number of the last step of all plans; 0 where there is none."""
    numbers = [int(step_id) for step_id in (*steps_by_id(plans_of(state)), *state["results"]) if step_id.isdecimal()]
    return max(numbers, default=0)


def new_excerpts(found: Sequence[Excerpt], known: Sequence[Excerpt]) -> list[Excerpt]:
    """Leave out what an excerpt has already: the same words, or the same place of a source."""
    quotes = {" ".join(excerpt.quote.split()) for excerpt in known}
    places: dict[str, list[tuple[int, int]]] = {}
    for excerpt in known:
        places.setdefault(excerpt.content_hash, []).append((excerpt.start, excerpt.end))
    return [
        excerpt
        for excerpt in found
        if " ".join(excerpt.quote.split()) not in quotes
        and not any(start < excerpt.end and excerpt.start < end for start, end in places.get(excerpt.content_hash, []))
    ]
