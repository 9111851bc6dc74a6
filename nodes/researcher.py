"""Researcher: one research step, from its queries to verbatim quotes and a finding, in one model call.

With tools assigned to the step it is a bounded loop of calls instead.
"""

import asyncio

from langgraph.runtime import Runtime

from schemas.context import RunContext
from schemas.evidence import Passage, Source
from schemas.researcher import Findings, ResearcherPrompt
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask
from services.evidence.quote_check import ask_quoting, verified_excerpts
from services.evidence.views import finding_views
from services.models.fallback import ask_by_rules
from services.models.prompt_fit import passages_within
from services.models.structured_output import parse
from services.run.errors import UselessAnswer
from services.run.scope import Run, current_run, evidence_of
from services.run.ui_text import say
from services.search.journaled import Search, gather_once
from services.search.web import named_pages
from services.tools.loop import Worked, use_tools
from services.tools.returned import ranked, renumbered
from services.tools.tool_set import tool_set, works_with_tools
from services.tools.workspace import Workspace
from services.turn.steps import Outcome, attempt

PASSAGES, MIN_PASSAGES = 12, 4
PASSAGE_TOKENS = 1_350
"""Tokens that the passages of one prompt have together: the best come first, and more of them cost more than they add."""


async def researcher(state: StepTask, runtime: Runtime[RunContext]) -> ResearchState:
    """Search the step's queries, read what they find, and keep only quotes that stand in the stored text."""

    async def work() -> Outcome:
        run, workspace = current_run(), Workspace(evidence_of(runtime))
        if await works_with_tools(run, state["step"]):
            return await _with_tools(run, state, workspace)
        return await _with_passages(run, state, workspace)

    return await attempt(state, "researcher", runtime, work)


async def _with_passages(run: Run, task: StepTask, workspace: Workspace) -> Outcome:
    """Judge the passages that the step's queries find, in one model call."""
    locale = task["locale"]
    found = await _search(run, task, workspace)
    if not found.passages:
        reasons = found.trouble(locale)
        error = say("searches_failed", locale, reason=" ".join(reasons)) if reasons else say("no_sources", locale)
        failed = StepResult(step_id=task["step"].id, status="failed", error=error)
        return Outcome(failed, limits=found.limits(run, locale))
    passages = passages_within(found.passages, PASSAGE_TOKENS, MIN_PASSAGES)
    outcome = await _asked(task, passages, found.sources)
    outcome.limits += found.limits(run, locale)
    return outcome


async def _search(run: Run, task: StepTask, workspace: Workspace) -> Search:
    queries = [*task["step"].queries, task["feedback"]] if task["feedback"] else task["step"].queries
    return await gather_once(run, queries, workspace.evidence, PASSAGES, task["question"])


async def _with_tools(run: Run, task: StepTask, workspace: Workspace) -> Outcome:
    """Let the model look things up with tools; what it quotes must stand in what they returned."""
    step, locale = task["step"], task["locale"]
    found = await _search(run, task, workspace) if step.need_web_search else Search()
    passages = passages_within(found.passages, PASSAGE_TOKENS, MIN_PASSAGES)
    workspace.add_evidence(passages, found.sources)
    workspace.addresses.update(hit.url for hit in named_pages(task["question"]))
    workspace.given = [task["question"]]
    given = await tool_set(run, task, workspace)
    prompt = _prompt(task, passages).model_copy(update={"with_tools": True})

    worked = await use_tools("researcher", prompt, given.tools, workspace)
    outcome = await _judged(task, worked, workspace)
    outcome.limits += [*found.limits(run, locale), *given.notices]
    return outcome


async def _judged(task: StepTask, worked: Worked, workspace: Workspace) -> Outcome:
    """Take the findings that the loop ended with; where they cannot be read or quote nothing, ask once over the results."""
    step_id, locale = task["step"].id, task["locale"]
    everything, sources = renumbered(workspace.passages), workspace.sources
    if not everything:
        return Outcome(StepResult(step_id=step_id, status="failed", error=say("no_tool_result", locale)))
    answer = findings_in(worked.text) if worked.finished else None
    if answer is not None and verified_excerpts(answer, everything, step_id):
        return _outcome(step_id, locale, answer, everything, sources)
    query = f"{task['question']} {task['step'].description}"
    best = passages_within(await asyncio.to_thread(ranked, everything, query), PASSAGE_TOKENS, MIN_PASSAGES)
    return await _asked(task, best, sources)


async def _asked(task: StepTask, passages: list[Passage], sources: dict[str, Source]) -> Outcome:
    """Let the model judge passages; where it gives no answer that can be used, or copies no quote rightly, rules choose the quotes."""
    step_id, locale, prompt = task["step"].id, task["locale"], _prompt(task, passages)
    try:
        answer = await ask_quoting(prompt, passages)
        if verified_excerpts(answer, passages) or not answer.excerpts:
            return _outcome(step_id, locale, answer, passages, sources)
    except UselessAnswer:
        pass
    outcome = _outcome(step_id, locale, await ask_by_rules(prompt, Findings), passages, sources)
    outcome.limits.append(say("quotes_by_rules", locale, step=step_id))
    return outcome


def findings_in(text: str) -> Findings | None:
    """Read the findings that a loop of tool calls ended with."""
    try:
        return Findings.model_validate(parse(text, Findings))
    except ValueError:
        return None


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
    excerpts = verified_excerpts(answer, passages, step_id)
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
    used = {excerpt.content_hash for excerpt in excerpts}
    copies = {
        source_hash: source
        for source_hash, source in sources.items()
        if source_hash in used or source.duplicate_of in used
    }
    return Outcome(result, copies)
