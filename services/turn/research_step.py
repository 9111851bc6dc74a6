"""A step that gathers: its prompt, its rounds of search, and its outcome."""

from collections.abc import Sequence

from schemas.evidence import Excerpt, Source, quoted_sources
from schemas.researcher import Findings, ResearcherPrompt
from schemas.results import StepResult
from schemas.state import StepTask
from services.evidence.views import overview
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run
from services.run.ui_text import say
from services.turn.rounds import RoundsResult, search_in_rounds
from services.turn.steps import Outcome


async def search_for_step(run: Run, task: StepTask, queries: Sequence[str], evidence: EvidenceStore) -> Outcome:
    """Search for a step in rounds, and return what it found; nothing found is a failure."""
    locale, step_id = task["locale"], task["step"].id
    need = researcher_prompt(task, run.context.level.evidence_tokens).model_copy(update={"queries": [*queries]})
    sources_left, kind = task["sources_left"], task["step"].source_kind
    gathered = await search_in_rounds(run, need, evidence, step_id, sources_left, kind, task["quoted"])
    if not gathered.shown:
        error = say("searches_failed", locale, reason=" ".join(gathered.trouble)) if gathered.trouble else ""
        return Outcome.failed(step_id, error or say("no_sources", locale), gathered.limits)
    return research_outcome(
        step_result(step_id, gathered, gathered.excerpts), locale, gathered.sources, gathered.limits
    )


def researcher_prompt(task: StepTask, room: int) -> ResearcherPrompt:
    """Return the prompt without passages; `room` is for the evidence of other steps, in tokens."""
    step = task["step"]
    return ResearcherPrompt(
        question=task["question"],
        locale=task["locale"],
        title=step.title,
        description=step.description,
        queries=step.queries,
        feedback=task["feedback"],
        findings=overview(task["steps"], task["results"], task["sources"], shows=lambda *_: True, room=room),
        sections=task.get("outline", []),
        passages=[],
    )


def step_result(step_id: str, answer: Findings | RoundsResult, excerpts: list[Excerpt]) -> StepResult:
    """Return the result of a step from an answer, or from rounds of them, and the excerpts that it names."""
    return StepResult(
        step_id=step_id,
        status="done",
        finding=answer.finding,
        excerpts=excerpts,
        confidence=answer.confidence,
        missing_aspects=answer.missing_aspects,
    )


def research_outcome(result: StepResult, locale: str, sources: dict[str, Source], limits: list[str]) -> Outcome:
    """Return a result with its quoted sources and their copies; a result without excerpts is a failure."""
    if not result.excerpts:
        update = {"status": "failed", "error": say("no_quotes", locale), "finding": "", "confidence": 0.0}
        return Outcome(result.model_copy(update=update), limits=limits, read=sources)
    return Outcome(result, quoted_sources(result.excerpts, sources), limits, sources)
