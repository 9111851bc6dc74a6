"""Planner: makes a plan of research and processing steps; a replan covers only the gaps."""

import asyncio
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from schemas.background_investigator import Background
from schemas.context import RunContext
from schemas.mcp import ToolView
from schemas.plan_draft import plan_schema
from schemas.planner import Plan, PlannerPrompt, first_steps, known_tools
from schemas.state import ResearchState, plans_of, research_question
from services.evidence.citable_excerpts import background_views
from services.evidence.views import overview, steps_by_id
from services.models import ask, ask_by_rules
from services.run.budget import limit_message
from services.run.errors import LimitReached, UselessAnswer
from services.run.events import emit, emit_message
from services.run.scope import choices, node_run
from services.run.ui_text import say
from services.search.journaled import tables_once
from services.tools.databases.query import query_tool_view, schema_views
from services.tools.mcp.offered_tools import servers_once
from services.tools.tool_set import BASE, own_tool_views
from services.turn.agent_inbox import plan_message
from services.turn.drafted_plan import check_draft, settle_draft
from services.turn.outline_evidence import evidence_in, placed
from services.turn.outline_growth import without_evidence
from services.turn.steering import for_planner, hear, heard, undone_steps, wants_report
from services.turn.steps import left_out

MAX_TABLES = 12


async def planner(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Make the next plan. A plan after a person's edit replaces the edited plan."""
    state, steering = await hear(state, runtime, "planner")
    if wants_report(state):
        return {**steering, "plan": None, "spent": True, "limits": [say("steered_stop", state["locale"])]}
    update = await _planned(state, runtime)
    if update["plan"] is not None:
        steering["steering"] = [message.model_copy(update={"planned": True}) for message in heard(state)]
    return {**steering, **update}


async def _planned(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    context = choices(runtime)
    plans = state["plans"][:-1] if state["review"] == "edited" else plans_of(state)
    changed = plans != state["plans"]
    limits: list[str] = []
    async with node_run(state, runtime, "planner") as run:
        try:
            found = {source.url for source in state["sources"].values()}
            sought = " ".join([research_question(state), *_gaps(state)])
            tables = await tables_once(run, sought, MAX_TABLES, found)
            servers, databases = await servers_once(run), await schema_views(run)
            own = await own_tool_views(run) if context.level.wide else []
            prompt = _prompt(state, run.context, plans, tables, [*own, *servers.views, *query_tool_view(databases)])
            try:
                draft = await ask("planner", prompt, plan_schema(prompt), check_draft)
            except UselessAnswer:
                draft = await ask_by_rules(prompt, plan_schema(prompt), check_draft)
                limits.append(say("plan_by_rules", state["locale"], number=len(plans) + 1))
            proposed = settle_draft(draft, prompt)
        except LimitReached as reached:
            proposed, limit = None, reached
    if proposed is None:
        return {"plan": None, "spent": True, "limits": [limit_message(limit, state["locale"])], "usage": run.usage}
    assignable = [*BASE, *(view.name for view in servers.views)]
    plan = known_tools(first_steps(proposed, context.max_step_num), assignable)
    nodes = proposed.outline if prompt.max_nodes else state.get("outline", [])
    outline = await asyncio.to_thread(placed, nodes, evidence_in(state))
    plan = plan.model_copy(update={"outline": without_evidence(outline)})
    problems = [database.problem for database in databases if database.problem]
    limits += [*servers.messages(state["locale"]), *problems, *left_out(run, state["locale"])]
    if len(proposed.steps) > context.max_step_num:
        limits.append(say("step_limit", state["locale"], limit=context.max_step_num))
    _announce(runtime, state["locale"], plan)
    added: Any = Overwrite([*plans, plan]) if changed else [plan]
    wanted, asking = context.review_plan and bool(plan.steps), say("review_chat", state["locale"])
    return {
        "messages": [plan_message(plan, state["turn"], len(plans) + 1, asking)] if wanted else [],
        "plan": plan,
        "plans": added,
        "outline": outline,
        "plan_iterations": len(plans) + 1,
        "has_enough_context": plan.has_enough_context,
        "review": "wanted" if wanted else "none",
        "limits": limits,
        "usage": run.usage,
    }


def _prompt(
    state: ResearchState, context: RunContext, plans: list[Plan], tables: list[str], tools: list[ToolView]
) -> PlannerPrompt:
    last, reflection = state["plan"], state["reflection"]
    background = state["background"] or Background()
    outline = reflection.outline if reflection is not None and plans else []
    steering = [message.text for message in for_planner(state)]
    steps = steps_by_id(plans)
    return PlannerPrompt(
        question=research_question(state),
        locale=state["locale"],
        today=state["today"],
        max_step_num=context.max_step_num,
        first_id=len(steps) + 1,
        background=background_views(state["background"], state["results"], state["sources"]),
        nearby=[title for title in background.titles if title not in background.folders],
        folders=background.folders,
        only_folders=background.only_folders and not tools,
        feedback=state["feedback"],
        findings=overview(
            steps,
            state["results"],
            state["sources"],
            shows=lambda result, item: not result.finding or item.kind == "computation",
            room=context.level.evidence_tokens,
        ),
        gaps=_gaps(state),
        queries=state["reflection"].follow_up_queries if state["reflection"] else [],
        tables=tables,
        tools=tools,
        max_nodes=0 if outline else context.level.nodes,
        outline=outline,
        wide=context.level.wide,
        style=context.output_style,
        previous_plan="\n".join(f"{step.id}. {step.title}" for step in last.steps) if last else "",
        wishes=context.wishes,
        steering=steering,
        undone=[step.title for step in undone_steps(state)] if steering else [],
    )


def _gaps(state: ResearchState) -> list[str]:
    reflection, triage = state["reflection"], state["triage"]
    if reflection is not None:
        return reflection.missing_aspects
    return triage.missing if triage is not None else []


def _announce(runtime: Runtime[RunContext], locale: str, plan: Plan) -> None:
    if plan.steps:
        emit_message(runtime, "plan", "planner", "plan", locale, title=plan.title, data=plan.model_dump(mode="json"))
    else:
        emit(runtime, "plan", "planner", say("plan_enough", locale), plan.model_dump(mode="json"))
