"""Researcher: one research step, from its queries to verbatim quotes and a finding, in one model call."""

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.evidence import Passage, Source
from schemas.researcher import Findings, ResearcherPrompt
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask
from services.evidence.quoted import ask_quoting, quoted
from services.evidence.views import finding_views
from services.messages import say
from services.models.fitting import within
from services.runs import current_run, evidence_of
from services.search.recorded import gather_once
from services.steps import Outcome, attempt

PASSAGES, LEAST_PASSAGES = 12, 4
PASSAGE_TOKENS = 1_350
"""Tokens that the passages of one prompt have together: the best come first, and more of them cost more than they add."""


async def researcher(state: StepTask, runtime: Runtime[RunContext]) -> ResearchState:
    """Search the step's queries, read what they find, and keep only quotes that stand in the stored text."""

    async def work() -> Outcome:
        step, locale = state["step"], state["locale"]
        queries = [*step.queries, state["feedback"]] if state["feedback"] else step.queries
        run = current_run()
        found = await gather_once(run, queries, evidence_of(runtime), PASSAGES, state["question"])
        if not found.passages:
            error = "; ".join([say("no_sources", locale), *found.failures])
            failed = StepResult(step_id=step.id, status="failed", error=error)
            return Outcome(failed, limits=found.limits(run, locale))
        passages = within(found.passages, PASSAGE_TOKENS, LEAST_PASSAGES)
        answer = await ask_quoting(_prompt(state, passages), passages)
        outcome = _outcome(step.id, locale, answer, passages, found.sources)
        outcome.limits = found.limits(run, locale)
        return outcome

    return await attempt(state, "researcher", runtime, work)


def _prompt(task: StepTask, passages: list[Passage]) -> ResearcherPrompt:
    step = task["step"]
    return ResearcherPrompt(
        question=task["question"],
        locale=task["locale"],
        title=step.title,
        description=step.description,
        queries=step.queries,
        feedback=task["feedback"],
        findings=finding_views(task["steps"], task["results"], task["sources"]),
        passages=passages,
    )


def _outcome(
    step_id: str, locale: str, answer: Findings, passages: list[Passage], sources: dict[str, Source]
) -> Outcome:
    excerpts = quoted(answer, passages, step_id)
    missing = answer.missing_aspects
    if not excerpts:
        failed = StepResult(step_id=step_id, status="failed", error=say("no_quotes", locale), missing_aspects=missing)
        return Outcome(failed)
    result = StepResult(
        step_id=step_id,
        status="done",
        finding=answer.finding,
        excerpts=excerpts,
        confidence=answer.confidence,
        missing_aspects=missing,
    )
    used = {excerpt.source_id for excerpt in excerpts}
    copies = {one: source for one, source in sources.items() if one in used or source.duplicate_of in used}
    return Outcome(result, copies)
