"""Steps of a plan: which can run now, what a worker gets, and how an attempt ends.

A step is ready if it has no result yet and its dependencies are settled, or if the reflector wants it redone.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from prompts import PromptError
from schemas.context import RunContext
from schemas.evidence import Excerpt, Source
from schemas.planner import Step
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask, plans_of, research_question
from schemas.usage import Allowance
from services.evidence.views import steps_by_id
from services.run.budget import allowance_of, limit_message, shares
from services.run.errors import JournalMiss, LeadlineError, LimitReached, StoreDamaged, StoreUnwritable, problem_text
from services.run.events import emit_message
from services.run.log import INFO, WARNING, log
from services.run.private_paths import without_private
from services.run.run_messages import ends_early
from services.run.scope import Run, step_run
from services.run.ui_text import say
from services.run.wishes import wishes_of
from services.turn.outline_growth import without_evidence
from services.turn.steering import dropped_steps

OVERLAP = 1.5
"""Factor on the even share of sources of parallel steps, since they quote some sources in common."""
MIN_STEP_SOURCES = 6
"""Sources that a step may quote even if the run has its maximum, so that late gaps can be closed."""

_OF_THE_RUN = (GraphBubbleUp, JournalMiss, StoreDamaged, StoreUnwritable, PromptError)
"""What ends the run, an unusable prompt among it: all steps share that."""


def with_earlier(step: Step, result: StepResult, previous: StepResult | None, number: int, locale: str) -> StepResult:
    """Merge the result of an attempt with the evidence of the step's earlier attempts.

    An attempt that came to nothing leaves the earlier finding in place and says in `error` why it added nothing. One that
    succeeded gives the finding; excerpts of a research step are those of all attempts, a passage that both quote
    once, while of a program that was redone only those stay that the new result has, too. Ids of new excerpts go on from the
    earlier ones, so that an id never means two things.
    """
    if previous is None or not previous.excerpts:
        return result
    if result.status != "done":
        error = say("redo_failed", locale, id=step.id, attempt=number, error=result.error)
        return previous.model_copy(update={"error": error})
    places, present = ({excerpt.place for excerpt in each.excerpts} for each in (previous, result))
    stays = step.step_type != "processing"
    kept = [excerpt for excerpt in previous.excerpts if stays or excerpt.place in present]
    fresh = [excerpt for excerpt in result.excerpts if excerpt.place not in places]
    merged = [*kept, *_numbered_on(step.id, fresh, previous.excerpts)]
    return result.model_copy(update={"excerpts": merged})


def _numbered_on(step_id: str, excerpts: list[Excerpt], earlier: list[Excerpt]) -> list[Excerpt]:
    """Number excerpts after the highest number that the step has used."""
    highest = max((int(excerpt.id.rpartition("-")[2]) for excerpt in earlier), default=0)
    numbered = enumerate(excerpts, highest + 1)
    return [excerpt.model_copy(update={"id": f"E{step_id}-{number}"}) for number, excerpt in numbered]


def to_redo(result: StepResult, max_attempts: int) -> bool:
    """Tell whether the reflector's latest verdict asks for another attempt, and an attempt is left."""
    judged = bool(result.reflections) and not result.unjudged
    return judged and result.reflections[-1].redo and result.attempts < max_attempts


def ready_steps(state: ResearchState, max_attempts: int) -> list[Step]:
    """Return the steps that can run now: first those of any plan to be redone, then those of the present plan, in order."""
    plan, results = state["plan"], state["results"]
    if plan is None:
        return []
    due = {step_id for step_id, result in results.items() if to_redo(result, max_attempts)} - dropped_steps(state)
    settled = results.keys() - due
    earlier = [step for step in steps_by_id(plans_of(state)[:-1]).values() if step.id in due]
    present = [
        step
        for step in plan.steps
        if step.id in due or (step.id not in results and settled.issuperset(step.depends_on))
    ]
    return list({step.id: step for step in [*earlier, *present]}.values())


def tasks_of(state: ResearchState, context: RunContext) -> list[StepTask]:
    """Return a task for each step to send now, each with its share of the remaining limits."""
    ready = ready_steps(state, context.max_step_attempts)
    if not ready:
        return []
    spent = state["usage"].total  # its mean price is known in a replay, too, where no model is
    token_cost = (spent.cost or 0.0) / max(1, spent.tokens)
    allowances = shares(allowance_of(context, state["usage"]), len(ready), token_cost)
    searching = sum(step.step_type == "research" for step in ready[: len(allowances)])
    quoted = {excerpt.content_hash for result in state["results"].values() for excerpt in result.excerpts}
    left = context.level.sources - len(quoted)
    share = max(MIN_STEP_SOURCES, left if searching < 2 else int(OVERLAP * left / searching))
    return [_task(state, step, allowance, share) for step, allowance in zip(ready, allowances, strict=False)]


def _task(state: ResearchState, step: Step, allowance: Allowance, sources_left: int) -> StepTask:
    results = state["results"]
    needed = {step_id: results[step_id] for step_id in step.depends_on if step_id in results}
    hashes = {excerpt.content_hash for result in needed.values() for excerpt in result.excerpts}
    previous = results.get(step.id)
    return StepTask(
        step=step,
        steps={step_id: other for step_id, other in steps_by_id(plans_of(state)).items() if step_id in needed},
        question=research_question(state),
        locale=state["locale"],
        results=needed,
        sources={key: source for key, source in state["sources"].items() if key in hashes},
        previous=previous,
        feedback=previous.reflections[-1].feedback if previous and previous.reflections else "",
        quoted=[
            excerpt.place for step_id, result in results.items() if step_id != step.id for excerpt in result.excerpts
        ],
        sources_left=sources_left,
        outline=without_evidence(state.get("outline", [])),
        turn=state["turn"],
        wishes=wishes_of(state["triage"]),
        allowance=allowance,
    )


@dataclass(slots=True)
class Outcome:
    """Result of one attempt."""

    result: StepResult
    sources: dict[str, Source] = field(default_factory=dict)
    """Its quoted sources and their copies, by content hash."""
    limits: list[str] = field(default_factory=list)
    """Reached limits, in the user's language."""
    read: dict[str, Source] = field(default_factory=dict)
    """All sources that it read, quoted or not: what a report says is not told is looked for in these, too."""

    @classmethod
    def failed(cls, step_id: str, error: str, limits: Sequence[str] = ()) -> "Outcome":
        """Return the outcome of an attempt that came to nothing."""
        return cls(StepResult(step_id=step_id, status="failed", error=error), limits=[*limits])


def step_summary(result: StepResult) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of the title, and the data, of a finished step's event."""
    values = {
        "id": result.step_id,
        "excerpts": len(result.excerpts),
        "confidence": f"{result.confidence:.2f}",
        "error": result.error,
    }
    data = {
        "step": result.step_id,
        "status": result.status,
        "finding": result.finding,
        "excerpts": len(result.excerpts),
        "confidence": result.confidence,
        "error": result.error,
    }
    return values, data


async def attempt(
    task: StepTask, node: str, runtime: Runtime[RunContext], work: Callable[[], Awaitable[Outcome]]
) -> ResearchState:
    """Do one attempt of a step: announce it, count its usage, limit its time, and turn any failure into a failed result.

    Only the step fails, never the run: the result's `error` holds the failure.
    """
    step, locale, previous = task["step"], task["locale"], task["previous"]
    number = previous.attempts + 1 if previous else 1
    key = "step_started" if number == 1 else "step_redone"
    emit_message(
        runtime,
        "step_started",
        node,
        key,
        locale,
        id=step.id,
        title=step.title,
        attempt=number,
        data={"step": step.id, "attempt": number},
    )
    async with step_run(task, runtime, node) as run:
        outcome = await _guarded(task, run, work)
        log(
            "step_finished",
            INFO if outcome.result.status == "done" else WARNING,
            status=outcome.result.status,
            attempt=number,
            excerpts=len(outcome.result.excerpts),
            sources=len(outcome.sources),
            tokens=run.usage.total.tokens,
            calls=run.usage.total.calls,
        )
        for source in outcome.sources.values():
            run.emit_source(source)
    merged = with_earlier(step, outcome.result, previous, number, locale)
    result = merged.model_copy(
        update={
            "attempts": number,
            "reflections": previous.reflections if previous else [],
            "seconds": run.usage.seconds,
        }
    )
    values, data = step_summary(result)
    status = outcome.result.status
    key = "step_quoted" if status == "done" and not result.confidence else f"step_{status}"
    emit_message(runtime, "step_finished", node, key, locale, data=data, **values)
    return {
        "results": {step.id: result},
        "sources": {**outcome.read, **outcome.sources},
        "limits": [
            *outcome.limits,
            *([result.error] if result.status == "done" and result.error else []),
            *left_out(run, locale),
            *([say("unisolated", locale)] if run.usage.unisolated_runs else []),
        ],
        "read": {step.id: run.read},
        "files": run.files,
        "usage": run.usage.model_copy(update={"seconds": 0.0}),
    }


def left_out(run: Run, locale: str) -> list[str]:
    """Return notes on evidence that did not fit into a node's prompts, if any."""
    return [say(key, locale, count=count, node=run.node) for key, count in sorted(run.left_out.items()) if count]


async def _guarded(task: StepTask, run: Run, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
    step, locale = task["step"], task["locale"]
    if task["results"] and not any(result.status == "done" for result in task["results"].values()):
        return Outcome(StepResult(step_id=step.id, status="skipped", error=say("dependency_failed", locale)))
    if await ends_early(run, "begin"):
        return Outcome(StepResult(step_id=step.id, status="skipped", error=say("step_dropped", locale)))
    try:
        return await run.in_time(task["allowance"].seconds, "timeout", "", work)
    except _OF_THE_RUN:
        raise
    except (TimeoutError, LimitReached) as reason:
        limit = reason if isinstance(reason, LimitReached) else LimitReached("time_limit", run.context.max_seconds)
        message = limit_message(limit, locale)
        return Outcome(StepResult(step_id=step.id, status="skipped", error=message), limits=[message])
    except LeadlineError as failure:
        return Outcome.failed(step.id, problem_text(failure, locale))
    except Exception as failure:  # noqa: BLE001 - whatever breaks in a step is that step's failure and stands in the report
        return Outcome.failed(step.id, without_private(f"{type(failure).__name__}: {failure}"))
