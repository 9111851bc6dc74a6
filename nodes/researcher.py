"""Researcher: one research step, from its queries to verbatim quotes and a finding, in rounds of search and judgement.

With tools assigned to the step it is a bounded loop of calls instead.
"""

import asyncio

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.evidence import Excerpt
from schemas.researcher import Findings
from schemas.state import ResearchState, StepTask
from services.evidence.references import numbered, taken
from services.models.prompt_fit import evidence_tokens, passages_within
from services.models.structured_output import parse
from services.run.log import log
from services.run.scope import Run, current_run, evidence_of
from services.search.journaled import Search, gather_once
from services.search.web import named_pages
from services.tools.loop import Worked, use_tools
from services.tools.tool_set import tool_set, works_with_tools
from services.tools.workspace import Workspace, ranked
from services.turn.research_step import research_outcome, researcher_prompt, search_for_step, step_result
from services.turn.rounds import answered
from services.turn.steps import Outcome, attempt

FOR_TOOLS = 12
"""Passages that a step with tools starts with, before its own look-ups."""


async def researcher(state: StepTask, runtime: Runtime[RunContext]) -> ResearchState:
    """Search the step's queries, read the found texts, and keep only quotes that occur in the stored texts."""

    async def work() -> Outcome:
        run, workspace = current_run(), Workspace(evidence_of(runtime))
        if await works_with_tools(run, state["step"]):
            return await _with_tools(run, state, workspace)
        return await search_for_step(run, state, state["step"].queries, workspace.evidence)

    return await attempt(state, "researcher", runtime, work)


async def _with_tools(run: Run, task: StepTask, workspace: Workspace) -> Outcome:
    """Let the model search with tools; its quotes must occur in their results."""
    step, locale = task["step"], task["locale"]
    queries = [*step.queries, *([task["feedback"]] if task["feedback"] else [])]
    gathered = Search()
    if step.need_web_search:
        gathered = await gather_once(
            run, queries, workspace.evidence, FOR_TOOLS, task["question"], source_kind=step.source_kind
        )
        run.has_searched(queries, gathered.searched)
    room = await evidence_tokens(run, "researcher", run.context.level.passage_tokens)
    passages = passages_within(gathered.passages, room)
    workspace.add_evidence(passages, gathered.sources)
    workspace.addresses.update(hit.url for hit in named_pages(task["question"]))
    workspace.known_texts = [task["question"]]
    offered = await tool_set(run, task, workspace)
    prompt = researcher_prompt(task, run.context.level.evidence_tokens).model_copy(
        update={"passages": numbered(workspace.passages), "with_tools": True, "wide": run.context.level.wide}
    )
    must_call = bool(offered.tools) and not workspace.passages
    worked = await use_tools("researcher", prompt, offered.tools, workspace, must_call=must_call, by_reference=True)
    outcome = await _judged(run, task, worked, workspace)
    outcome.limits += [*gathered.limits(run, locale), *offered.notices]
    return outcome


async def _judged(run: Run, task: StepTask, worked: Worked, workspace: Workspace) -> Outcome:
    """Parse the loop's findings; if they cannot be read or name no quotes, ask once over the results."""
    step_id, locale = task["step"].id, task["locale"]
    everything, sources = workspace.passages, workspace.sources
    if not everything:
        return Outcome.failed(step_id, worked.why_nothing(locale))
    answer = findings_in(worked.text) if worked.finished else None
    excerpts: list[Excerpt] = []
    limits: list[str] = []
    if answer is not None:
        excerpts, unknown = taken(answer, await asyncio.to_thread(numbered, everything), step_id)
        if unknown:
            log("references_dropped", count=len(unknown), of=len(answer.references))
    if answer is None or not excerpts:
        query = f"{task['question']} {task['step'].description}"
        room = await evidence_tokens(run, "researcher", run.context.level.passage_tokens)
        best = passages_within(await asyncio.to_thread(ranked, everything, query), room)
        prompt = researcher_prompt(task, run.context.level.evidence_tokens).model_copy(
            update={"passages": numbered(best)}
        )
        answer = await answered(prompt, limits, step_id)
        excerpts = taken(answer, prompt.passages, step_id).excerpts
    return research_outcome(step_result(step_id, answer, excerpts), locale, sources, limits)


def findings_in(text: str) -> Findings | None:
    """Parse the findings at the end of a tool loop."""
    try:
        return Findings.model_validate(parse(text, Findings))
    except ValueError:
        return None
