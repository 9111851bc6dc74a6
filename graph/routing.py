"""Conditional edges: pure functions of state and context that name the next node."""

from typing import Literal

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.state import ResearchState
from services.run.scope import choices
from services.turn.steering import for_planner
from services.turn.steps import ready_steps


async def after_coordinator(state: ResearchState) -> Literal["background_investigator", "reporter", "__end__"]:
    """Change the report if asked to, research if needed; otherwise the question has been answered.

    A report of another local run is changed in that run, which holds its evidence.
    """
    triage = state.get("triage")
    if state.get("revision") is not None:
        return "reporter" if triage is not None else "__end__"
    due = triage is not None and triage.intent in {"in_scope", "edge_case"}
    return "background_investigator" if due else "__end__"


async def after_background_investigator(
    state: ResearchState, runtime: Runtime[RunContext]
) -> Literal["planner", "reporter"]:
    """Take the fast path if the answer is known, if a simple search has found it, or if deep research is off."""
    triage, background, context = state["triage"], state["background"], choices(runtime)
    if triage is None or not context.deep_research or triage.answered == "whole":
        return "reporter"
    if context.output_style == "data":  # figures require runs of code, even for simple questions
        return "planner"
    has_evidence = background is not None and background.excerpts
    return "reporter" if triage.complexity == "simple" and has_evidence else "planner"


async def after_planner(state: ResearchState) -> Literal["reporter", "human_feedback", "research_team"]:
    """Write the report if nothing is left to do; else show the plan to a person, if the run asks for a review."""
    plan = state["plan"]
    if plan is None or not plan.steps:
        return "reporter"
    return "human_feedback" if state["review"] == "wanted" else "research_team"


async def after_human_feedback(state: ResearchState) -> Literal["planner", "research_team", "reporter"]:
    """Plan again with the person's feedback, or start the research."""
    if state["review"] == "edited":
        return "planner"
    plan = state["plan"]
    return "research_team" if plan is not None and plan.steps else "reporter"


async def after_reflector(
    state: ResearchState, runtime: Runtime[RunContext]
) -> Literal["research_team", "planner", "reporter"]:
    """Continue the plan, replan for the gaps, or report; checks users' messages, due steps, sufficiency, then limits."""
    context = choices(runtime)
    if state["spent"]:
        return "reporter"
    if for_planner(state):
        return "planner"
    if ready_steps(state, context.max_step_attempts):
        return "research_team"
    if state["has_enough_context"] or state["plan_iterations"] >= context.max_plan_iterations:
        return "reporter"
    return "planner"
