"""Reflector: judges each new result, and whether the question is answered."""

import asyncio

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView
from schemas.reflector import Reflection, ReflectorPrompt, StepVerdict, reflection_schema
from schemas.results import StepResult
from schemas.state import ResearchState, plans_of, research_question
from schemas.usage import Usage
from services.evidence.citable_excerpts import background_views
from services.evidence.contradictions import check_contradiction, settled_copies
from services.evidence.views import overview, steps_by_id
from services.models import ask, ask_by_rules
from services.run.budget import limit_message, spent_limit
from services.run.errors import LimitReached, UselessAnswer
from services.run.events import emit
from services.run.evidence_store import EvidenceStore
from services.run.roles import OFFLINE, role_model
from services.run.scope import choices, evidence_of, node_run
from services.run.ui_text import say
from services.text.measures import has_figure
from services.turn.outline_evidence import OutlineTable, outline_table, settle_verdicts, with_outline
from services.turn.steering import dropped_steps, for_planner, hear, undone_steps, wants_report
from services.turn.steps import left_out, ready_steps, to_redo


async def reflector(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Judge the results that no reflection has seen yet; steps of earlier waves may also be sent back.

    No model is called in the middle of a plan if all results are usable and further steps can run: they are judged when the plan has run.
    """
    state, steering = await hear(state, runtime, "reflector")
    update = await _reflected(state, runtime)
    update = {**steering, **update, "results": {**steering.get("results", {}), **update["results"]}}
    if update.get("spent"):
        return update
    after: ResearchState = {**state, **update, "results": {**state["results"], **update["results"]}}
    _, meanwhile = await hear(after, runtime, "reflector", "end")
    return {**update, **meanwhile, "results": {**update["results"], **meanwhile.get("results", {})}}


async def _reflected(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    context, locale = choices(runtime), state["locale"]
    fresh = {step_id: state["results"][step_id] for step_id in sorted(state["results"], key=int)}
    fresh = {step_id: result for step_id, result in fresh.items() if result.unjudged}
    arrived = [result for result in fresh.values() if not _put_off_before(result)]
    wave = Usage(seconds=max((result.seconds for result in arrived), default=0.0))
    account: ResearchState = {**state, "usage": state["usage"] + wave}
    limit = spent_limit(context, account["usage"])
    table = await asyncio.to_thread(outline_table, state, context)
    outline: ResearchState = {"outline": table.outline}
    if wants_report(state):
        return {**_given_up(state, fresh, say("steered_stop", locale)), **outline, "usage": wave}
    heard_only = bool(for_planner(state)) and not fresh
    goes_on = all(map(_is_usable, fresh.values())) and bool(ready_steps(state, context.max_step_attempts))
    if limit is None and (heard_only or goes_on):
        return {"results": _put_off(arrived, locale), **outline, "usage": wave}
    reflection, by_rules, rules = None, list[str](), False
    async with node_run(account, runtime, "reflector") as run:
        try:
            if limit is None:
                prompt = _prompt(state, context, table)
                try:
                    answer = await ask("reflector", prompt, reflection_schema(prompt))
                except UselessAnswer:
                    answer = await ask_by_rules(prompt, Reflection)  # which knows nothing that only some are asked for
                    by_rules = [say("reflection_by_rules", locale)]
                answer = Reflection.model_validate(answer.model_dump())
                rules = await run.journal.decided(
                    "rules", lambda: bool(by_rules) or role_model("reflector", context).model == OFFLINE
                )
                answer = _with_sound_verdicts(answer, state)
                settled = await _settled(answer, state, evidence_of(runtime), confirmed=rules)
                reflection, outline["outline"] = with_outline(settled, table, locale)
        except LimitReached as reached:
            limit = reached
    if reflection is None:
        limit_text = limit_message(limit, locale) if limit else ""
        return {**_given_up(state, fresh, limit_text), **outline, "usage": run.usage + wave}
    verdicts = {verdict.step_id: verdict for verdict in reflection.steps}
    judged = {**_sent_back(state, verdicts), **fresh}
    results = _with_verdicts(judged, verdicts, reflection.reasoning)
    _announce(runtime, locale, reflection, results, context, rules=rules)
    reflection = reflection.model_copy(
        update={
            "steps": [results[step_id].reflections[-1] for step_id in sorted(results, key=int)],
            "plan_iteration": state["plan_iterations"],
        }
    )
    update: ResearchState = {
        "results": results,
        **outline,
        "reflection": reflection,
        "reflections": [reflection],
        "has_enough_context": reflection.has_enough_context,
        "limits": [*by_rules, *_limits(state, context, reflection, results), *left_out(run, locale)],
        "usage": run.usage + wave,
    }
    limit = spent_limit(context, account["usage"] + run.usage)
    after: ResearchState = {**state, "results": {**state["results"], **results}}
    if limit is not None and (ready_steps(after, context.max_step_attempts) or not reflection.has_enough_context):
        given_up = _given_up(after, {}, limit_message(limit, locale))
        update |= {
            **given_up,
            "results": {**results, **given_up["results"]},
            "limits": [*update["limits"], *given_up["limits"]],
        }
    return update


def _given_up(state: ResearchState, fresh: dict[str, StepResult], why: str) -> ResearchState:
    """End the research at a limit, or on a user's request: undone steps are marked as skipped."""
    skipped = {step.id: StepResult(step_id=step.id, status="skipped", error=why) for step in undone_steps(state)}
    limits = [why] if why else []
    return {"results": {**_with_verdicts(fresh, {}, why), **skipped}, "spent": True, "limits": limits}


def _is_usable(result: StepResult) -> bool:
    return result.status == "done" and not result.error


def _put_off(results: list[StepResult], locale: str) -> dict[str, StepResult]:
    """Record of each result that it is judged later: a verdict on no attempt."""
    later = say("verdict_later", locale)
    return {
        result.step_id: result.model_copy(
            update={"reflections": [*result.reflections, StepVerdict(step_id=result.step_id, reason=later)]}
        )
        for result in results
    }


def _put_off_before(result: StepResult) -> bool:
    return bool(result.reflections) and result.reflections[-1].attempt == 0


def _prompt(state: ResearchState, context: RunContext, table: OutlineTable) -> ReflectorPrompt:
    return ReflectorPrompt(
        question=research_question(state),
        locale=state["locale"],
        today=state["today"],
        findings=overview(
            steps_by_id(plans_of(state)),
            state["results"],
            state["sources"],
            shows=_worth_another_look,
            room=context.level.evidence_tokens,
        ),
        folders=state["background"].folders if state["background"] else [],
        gaps=state["reflection"].missing_aspects if state["reflection"] else [],
        contradictions=state["reflection"].contradictions if state["reflection"] else [],
        pending=[step.title for step in undone_steps(state) if step.id not in dropped_steps(state)],
        background=background_views(state["background"], state["results"], state["sources"]),
        plan_iterations=state["plan_iterations"],
        max_plan_iterations=context.max_plan_iterations,
        max_step_attempts=context.max_step_attempts,
        outline=table.views,
        wide=context.level.wide,
        dated=table.dated,
        idle_plans=table.idle_plans,
    )


def _worth_another_look(result: StepResult, item: EvidenceView) -> bool:
    """Tell whether an excerpt is shown again: the finding covers those that a reflection has seen, unless their figures may be contradicted."""
    return result.unjudged or not result.finding or has_figure(item.quote)


def _with_sound_verdicts(reflection: Reflection, state: ResearchState) -> Reflection:
    """Keep the verdicts on existing steps, and the orders to redo a step that give a reason."""
    steps = steps_by_id(plans_of(state))
    verdicts = settle_verdicts(reflection.steps, state["results"], steps, research_question(state))
    dropped = dropped_steps(state)
    verdicts = [
        verdict.model_copy(update={"redo": False}) if verdict.step_id in dropped else verdict for verdict in verdicts
    ]
    return reflection.model_copy(update={"steps": verdicts})


async def _settled(
    reflection: Reflection, state: ResearchState, evidence: EvidenceStore, *, confirmed: bool
) -> Reflection:
    """Keep only contradictions between two found sides, add earlier ones, and reject `enough` without evidence.

    With `confirmed`, only contradictions stay that the check confirms: rules compare figures without their subjects.
    """
    background = state["background"].excerpts if state["background"] else []
    quoted = [excerpt for result in state["results"].values() for excerpt in result.excerpts]
    known = {excerpt.id: excerpt for excerpt in [*background, *quoted]}
    earlier = state["reflection"].contradictions if state["reflection"] else []
    sources = state["sources"]
    if earlier or reflection.contradictions:
        sources = await settled_copies(sources, list(known.values()), evidence)
    checked = [
        [contradiction for named in group if (contradiction := check_contradiction(named, known, sources)) is not None]
        for group in (earlier, reflection.contradictions)
    ]
    again = {*reflection.settled}
    if not confirmed:
        again |= {contradiction.topic for contradiction in checked[1]}  # told with other excerpts
    merged: dict[frozenset[tuple[str, str]], Contradiction] = {}
    for contradiction in [*(former for former in checked[0] if former.topic not in again), *checked[1]]:
        if contradiction.differs or not confirmed:
            # Steps that found the same passage have separate excerpts of it
            quoted_sides = {(known[side].content_hash, known[side].quote) for side in contradiction.excerpt_ids}
            # Rules name one difference each, of which two excerpts may have several
            sides = frozenset(quoted_sides | ({("", contradiction.explanation)} if confirmed else set()))
            if not any(sides <= known_sides for known_sides in merged):
                merged = {known_sides: former for known_sides, former in merged.items() if not known_sides < sides}
                merged[sides] = contradiction
    enough = reflection.has_enough_context and bool(known)
    return reflection.model_copy(update={"contradictions": list(merged.values()), "has_enough_context": enough})


def _sent_back(state: ResearchState, verdicts: dict[str, StepVerdict]) -> dict[str, StepResult]:
    """Return results that earlier reflections accepted and this one wants redone."""
    known = steps_by_id(plans_of(state))
    return {
        step_id: result
        for step_id, result in state["results"].items()
        if step_id in known and step_id in verdicts and verdicts[step_id].redo and not result.unjudged
    }


def _with_verdicts(
    judged: dict[str, StepResult], verdicts: dict[str, StepVerdict], reason: str
) -> dict[str, StepResult]:
    """Record the verdict on the latest attempt of each step.

    A missing verdict accepts the result; `reason` stands for verdicts without their own.
    """
    recorded = {}
    for step_id, result in judged.items():
        verdict = verdicts.get(step_id, StepVerdict(step_id=step_id))
        update = {"attempt": result.attempts, "reason": verdict.reason or verdict.feedback or reason}
        recorded[step_id] = result.model_copy(
            update={"reflections": [*result.reflections, verdict.model_copy(update=update)]}
        )
    return recorded


def _limits(
    state: ResearchState, context: RunContext, reflection: Reflection, results: dict[str, StepResult]
) -> list[str]:
    locale = state["locale"]
    limits = [
        say("attempt_limit", locale, id=step_id, limit=context.max_step_attempts)
        for step_id, result in sorted(results.items(), key=lambda item: int(item[0]))
        if result.reflections[-1].redo and result.attempts >= context.max_step_attempts
    ]
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
    *,
    rules: bool,
) -> None:
    redo = [step_id for step_id, result in results.items() if to_redo(result, context.max_step_attempts)]
    if redo:
        title = say("reflection_redo", locale, steps=", ".join(redo))
    elif rules:
        title = reflection.reasoning
    elif reflection.has_enough_context:
        title = say("reflection_enough", locale)
    else:
        thin = [node.title for node in reflection.outline if node.thin]
        gaps = reflection.missing_aspects or reflection.follow_up_queries or thin
        title = say("reflection_gaps", locale, gaps="; ".join(gaps) or "?")
    emit(runtime, "reflection", "reflector", title, reflection.model_dump(mode="json"))
