"""Reflector: a verdict on each new result, and on whether the question is answered."""

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.evidence import Contradiction
from schemas.reflector import Reflection, ReflectorPrompt, StepVerdict
from schemas.results import StepResult
from schemas.state import ResearchState
from services.evidence.views import finding_views, steps_by_id
from services.messages import say
from services.metering import Meter
from services.models import ask
from services.progress import emit
from services.runs import choices
from services.steps import ready_steps, research_seconds, to_redo


async def reflector(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Reflect on the results that no reflection has seen yet.

    In the middle of a plan, when all of them are sound and further steps can go on, no model is called.
    """
    context = choices(runtime)
    fresh = {one: result for one, result in state["results"].items() if len(result.reflections) < result.attempts}
    wave = max((result.seconds for result in fresh.values()), default=0.0)
    spent = state["usage"].seconds + wave
    if _may_go_on(state, fresh, context) and spent < research_seconds(context):
        passed = {one: _with_verdict(result, StepVerdict(step_id=one)) for one, result in fresh.items()}
        return {"results": passed, "usage": Meter().usage.model_copy(update={"seconds": wave})}
    with Meter() as meter:
        reflection = await ask("reflector", _prompt(state, context), Reflection)
    reflection = _settled(reflection, state)
    verdicts = {verdict.step_id: verdict for verdict in reflection.steps}
    results = {one: _with_verdict(result, verdicts.get(one, StepVerdict(step_id=one))) for one, result in fresh.items()}
    spent += meter.usage.seconds
    limits = _limits(state, context, reflection, results, spent)
    _announce(runtime, state["locale"], reflection, results, context)
    return {
        "results": results,
        "reflection": reflection,
        "has_enough_context": reflection.has_enough_context,
        "limits": limits,
        "usage": meter.usage.model_copy(update={"seconds": meter.usage.seconds + wave}),
    }


def _may_go_on(state: ResearchState, fresh: dict[str, StepResult], context: RunContext) -> bool:
    """Tell whether steps are left and nothing that just came in gives a reason to stop and think."""
    sound = all(result.status == "done" and not result.missing_aspects for result in fresh.values())
    return sound and bool(ready_steps(state, context.max_step_attempts))


def _prompt(state: ResearchState, context: RunContext) -> ReflectorPrompt:
    triage = state["triage"]
    return ReflectorPrompt(
        question=triage.question if triage else state["question"],
        locale=state["locale"],
        today=state["today"],
        findings=finding_views(steps_by_id(state["plans"]), state["results"], state["sources"]),
        plan_iterations=state["plan_iterations"],
        max_plan_iterations=context.max_plan_iterations,
        max_step_attempts=context.max_step_attempts,
    )


def _settled(reflection: Reflection, state: ResearchState) -> Reflection:
    """Keep only contradictions between excerpts that exist, add those of earlier reflections, and doubt empty hands."""
    known = {excerpt.id for result in state["results"].values() for excerpt in result.excerpts}
    earlier = state["reflection"].contradictions if state["reflection"] else []
    merged: dict[tuple[str, ...], Contradiction] = {}
    for one in [*earlier, *reflection.contradictions]:
        ids = [excerpt_id for excerpt_id in dict.fromkeys(one.excerpt_ids) if excerpt_id in known]
        if len(ids) > 1:
            merged.setdefault(tuple(sorted(ids)), one.model_copy(update={"excerpt_ids": ids}))
    enough = reflection.has_enough_context and bool(known)
    return reflection.model_copy(update={"contradictions": list(merged.values()), "has_enough_context": enough})


def _with_verdict(result: StepResult, verdict: StepVerdict) -> StepResult:
    return result.model_copy(update={"reflections": [*result.reflections, verdict]})


def _limits(
    state: ResearchState, context: RunContext, reflection: Reflection, results: dict[str, StepResult], spent: float
) -> list[str]:
    """Name the limits that keep research from going on although it should."""
    locale = state["locale"]
    limits = [
        say("attempt_limit", locale, id=one, limit=context.max_step_attempts)
        for one, result in sorted(results.items(), key=lambda item: int(item[0]))
        if result.reflections[-1].redo and result.attempts >= context.max_step_attempts
    ]
    if spent >= research_seconds(context):
        limits.append(say("time_limit", locale, limit=context.max_seconds))
    due = any(to_redo(result, context.max_step_attempts) for result in results.values())
    if not reflection.has_enough_context and not due and state["plan_iterations"] >= context.max_plan_iterations:
        limits.append(say("plan_limit", locale, limit=context.max_plan_iterations))
    return limits


def _announce(
    runtime: Runtime[RunContext],
    locale: str,
    reflection: Reflection,
    results: dict[str, StepResult],
    context: RunContext,
) -> None:
    redo = [one for one, result in results.items() if to_redo(result, context.max_step_attempts)]
    if redo:
        title = say("reflection_redo", locale, steps=", ".join(redo))
    elif reflection.has_enough_context:
        title = say("reflection_enough", locale)
    else:
        title = say(
            "reflection_gaps", locale, gaps="; ".join(reflection.missing_aspects or reflection.follow_up_queries) or "?"
        )
    emit(runtime, "reflection", "reflector", title, reflection.model_dump(mode="json"))
