"""Coder: one processing step, by executed programs or tools; every number of its finding comes from a run."""

from langgraph.runtime import Runtime

from schemas.coder import MOST_LINES, CoderPrompt
from schemas.context import RunContext
from schemas.evidence import Excerpt, Passage
from schemas.results import StepResult
from schemas.state import ResearchState, StepTask
from services.evidence.citable_excerpts import placed
from services.evidence.computation import lines_holding, lines_of, program_of, trace
from services.run.evidence_store import EvidenceStore
from services.run.scope import Run, current_run, evidence_of
from services.tools.databases.query import schema_views
from services.tools.loop import use_tools
from services.tools.tool_set import QUERY, tool_set, works_with_tools
from services.tools.workspace import Workspace
from services.turn.program_inputs import lay_out
from services.turn.programs import artifacts_of, computed_outcome, run_programs
from services.turn.research_step import search_for_step
from services.turn.steps import Outcome, attempt

LONGEST_QUERY = 300
"""Characters of a step's description by which a search looks where its programs found nothing."""


async def coder(state: StepTask, runtime: Runtime[RunContext]) -> ResearchState:
    """Compute over the user's tables and earlier findings, and correct failing programs."""

    async def work() -> Outcome:
        run, workspace, step = current_run(), Workspace(evidence_of(runtime)), state["step"]
        prompt = await lay_out(run, state, workspace)
        with_tools = await works_with_tools(run, step)
        outcome = await (_with_tools if with_tools else run_programs)(run, state, prompt, workspace)
        if prompt.has_jsonl and outcome.result.status == "failed":  # what no program found, a search may find
            searched = await search_for_step(
                run, state, [step.title, step.description[:LONGEST_QUERY]], workspace.evidence
            )
            if searched.result.status == "done":
                searched.limits.append(outcome.result.error)
                outcome = searched
        outcome.result.excerpts = await placed(outcome.result.excerpts, workspace.evidence)
        if state["previous"] and not with_tools:
            outcome.result.excerpts += await _quotes_of_texts(state["previous"], workspace.evidence)
        return outcome

    return await attempt(state, "coder", runtime, work)


async def _with_tools(run: Run, task: StepTask, prompt: CoderPrompt, workspace: Workspace) -> Outcome:
    """Let the model work with tools; its finding keeps only what tools returned."""
    offered = await tool_set(run, task, workspace)
    queries_databases = any(tool.name == QUERY for tool in offered.tools)
    databases = await schema_views(run) if queries_databases else []
    prompt = prompt.model_copy(update={"with_tools": True, "databases": databases})
    worked = await use_tools("coder", prompt, offered.tools, workspace)
    passages, sources = workspace.passages, workspace.sources
    if not passages:
        return Outcome.failed(task["step"].id, worked.why_nothing(task["locale"]), offered.notices)
    known = [_as_passage(excerpt) for result in task["results"].values() for excerpt in result.excerpts]
    traced = trace(worked.text if worked.finished else "", [*known, *passages], task["question"])
    finding, lines = traced.finding, traced.lines
    if not finding or not any(line.content_hash in sources for line in lines):
        lines = lines_of(passages[-1])[:MOST_LINES]
        finding = "\n".join(line.text for line in lines)
    taken = [literal for line in lines for literal in workspace.literals.get(line.content_hash, ())]
    own = {line.content_hash for line in lines}
    returned = [passage for passage in passages if passage.content_hash not in own and workspace.proven(passage)]
    lines = list(dict.fromkeys([*lines, *lines_holding(taken, returned, workspace.known_texts)]))
    artifacts = [
        artifact
        for made in worked.calls
        if made.result.output is not None and not made.result.failed
        for artifact in made.result.output.artifacts.items()
    ]
    quoted = {line.content_hash for line in lines}
    cited = {source_hash: source for source_hash, source in sources.items() if source_hash in quoted}
    outcome = computed_outcome(task, finding, lines, cited, artifacts_of(task, dict(artifacts), task["step"].title))
    outcome.result.confidence = min(outcome.result.confidence, 1.0 if not traced.dropped else 0.6)
    outcome.limits += offered.notices
    return outcome


async def _quotes_of_texts(result: StepResult, evidence: EvidenceStore) -> list[Excerpt]:
    """Return of what a program found the quotes of texts, which hold whatever else was wrong with it."""
    texts = {key: await evidence.get_text(key) for key in {excerpt.content_hash for excerpt in result.excerpts}}
    return [excerpt for excerpt in result.excerpts if program_of(texts[excerpt.content_hash]) is None]


def _as_passage(excerpt: Excerpt) -> Passage:
    return Passage(
        id="", content_hash=excerpt.content_hash, title="", start=excerpt.start, end=excerpt.end, text=excerpt.quote
    )
