"""Further searches while a report is being written, within the budget that is not reserved for writing."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from schemas.evidence import Excerpt, Source, quoted_sources
from schemas.planner import Step
from schemas.researcher import ResearcherPrompt
from schemas.results import StepResult
from schemas.state import ResearchState, plans_of
from schemas.usage import Allowance
from services.evidence.citable_excerpts import placed
from services.evidence.views import steps_by_id
from services.reports.judge import Search
from services.run.budget import REPORT_SHARE, limit_message
from services.run.errors import JournalMiss, LeadlineError, LimitReached, StoreDamaged, StoreUnwritable
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.search.journaled import gather_once
from services.turn.rounds import search_in_rounds

_PASSING_ON = (JournalMiss, StoreDamaged, StoreUnwritable)
"""Errors that end the whole run."""

SOURCES_EACH = 8
"""Sources that are looked at for a statement which says that something is not told."""


@dataclass(frozen=True, slots=True)
class AddedEvidence:
    """Result of a further step."""

    result: StepResult | None = None
    """None if the step found nothing new."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Sources of its excerpts, by hash."""
    limits: Sequence[str] = ()
    """Reached limits and failed searches, in the user's language."""


async def search_step(
    run: Run,
    step: Step,
    evidence: EvidenceStore,
    *,
    question: str,
    locale: str,
    known: Sequence[Excerpt],
    max_sources: int,
) -> AddedEvidence:
    """Search for a step without using the report's share of the limits; an error of the step alone becomes a limit.

    Raises:
        JournalMiss: the recording of a replay does not hold the search.
        StoreDamaged: the store holds what was never written.
        StoreUnwritable: the disk is full.
    """
    need = ResearcherPrompt(
        question=question,
        locale=locale,
        title=step.title,
        description=step.description,
        queries=step.queries,
        feedback="",
        findings=[],
        passages=[],
    )

    async def work() -> AddedEvidence:
        quoted = [excerpt.place for excerpt in known]
        gathered = await search_in_rounds(run, need, evidence, step.id, max_sources, quoted=quoted)
        limits = [*gathered.limits, *gathered.trouble]
        new = await placed(new_excerpts(gathered.excerpts, known), evidence)
        if not new:
            return AddedEvidence(limits=limits)
        result = StepResult(
            step_id=step.id,
            status="done",
            finding=gathered.finding,
            excerpts=new,
            confidence=gathered.confidence,
            missing_aspects=gathered.missing_aspects,
        )
        return AddedEvidence(result, quoted_sources(new, gathered.sources), limits)

    return await besides(run, locale, work)


async def besides(run: Run, locale: str, work: Callable[[], Awaitable[AddedEvidence]]) -> AddedEvidence:
    """Do a further step within the limits that are not the report's; an error of the step alone becomes a limit."""
    try:
        with besides_the_report(run):
            return await work()
    except _PASSING_ON:
        raise
    except LeadlineError as reason:
        return AddedEvidence(limits=[limit_message(reason, locale)])


def document_search(run: Run, evidence: EvidenceStore, ended: Callable[[], None]) -> Search:
    """Return a search of the user's documents that finds the sources of the passages nearest to each statement; nothing where a limit is reached.

    `ended` is called after it, to say what is done next. Each statement is searched alone: searched together, the sixth source of one, which told it, fell behind those of the others.
    """

    async def search(statements: Sequence[str]) -> Mapping[str, Source]:
        try:
            with besides_the_report(run):
                found = [
                    await gather_once(run, [statement], evidence, SOURCES_EACH, where="documents")
                    for statement in statements
                ]
        except LimitReached:
            return {}
        finally:
            ended()
        return {key: source for gathered in found for key, source in gathered.sources.items()}

    return search


async def has_room(run: Run, what: str) -> bool:
    """Tell whether tokens, money and time are left beyond the report's share; `what` they are for names the decision in the journal."""

    def decide() -> bool:
        left = _without_the_reports_share(run)
        room = run.budget.room()
        tokens_left = room is None or room > REPORT_SHARE * (run.context.max_tokens or 0)
        return tokens_left and left.seconds > run.seconds and (left.cost is None or left.cost > 0)

    return await run.journal.decided("rework", decide, what)


@contextmanager
def besides_the_report(run: Run) -> Iterator[None]:
    """Reserve the report's share of the limits while the block runs."""
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
    """Return the highest number of a step in all plans; 0 if there are no steps."""
    numbers = [int(step_id) for step_id in (*steps_by_id(plans_of(state)), *state["results"]) if step_id.isdecimal()]
    return max(numbers, default=0)


def new_excerpts(excerpts: Sequence[Excerpt], known: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the excerpts whose quote no known excerpt holds."""
    quotes = {" ".join(excerpt.quote.split()) for excerpt in known}
    return [
        excerpt
        for excerpt in excerpts
        if " ".join(excerpt.quote.split()) not in quotes and not any(map(excerpt.lies_in, known))
    ]


def with_excerpts(results: Mapping[str, StepResult], new: Iterable[Excerpt]) -> dict[str, StepResult]:
    """Return the results of those steps whose ids begin those of new excerpts, with these."""
    changed: dict[str, StepResult] = {}
    for excerpt in new:
        step_id = excerpt.id.partition("-")[0].removeprefix("E")
        if (result := changed.get(step_id) or results.get(step_id)) is not None:
            changed[step_id] = result.model_copy(update={"excerpts": [*result.excerpts, excerpt]})
    return changed
