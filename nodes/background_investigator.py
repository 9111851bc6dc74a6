"""Background investigator: one quick search for the question, which informs the planner.

If earlier turns of the thread found a part of the answer, their evidence is used instead of a search, and a planner sees
what the folders hold, which may have new files since. Remembered statements of other threads are searched first, if the
run enables memory.
"""

from langgraph.runtime import Runtime

from schemas.background_investigator import Background
from schemas.context import RunContext
from schemas.events import Searched
from schemas.evidence import Excerpt, Passage
from schemas.results import RECALLED
from schemas.state import ResearchState, merge_sources, research_question
from services.run.budget import limit_message
from services.run.errors import LimitReached
from services.run.events import emit_message
from services.run.scope import choices, evidence_of, node_run
from services.run.ui_text import in_brackets
from services.search.journaled import Overview, Search, gather_once, overview_once
from services.text.heads import above
from services.text.units import best_window, widen
from services.tools.mcp.configuration import configured
from services.turn.remembered_statements import Remembered, recall_memory, without_changed

QUOTE = 600
"""Maximum characters of a quoted passage."""


async def background_investigator(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Search the web and the user's documents for the question itself; no model is called."""
    locale, question, context = state["locale"], research_question(state), choices(runtime)
    limits: list[str] = []
    known = state["results"][RECALLED].excerpts if RECALLED in state["results"] else []
    if known and not _searches(state, context):
        data = {"sources": [source.title for source in state["sources"].values()], "failures": []}
        emit_message(runtime, "background", "background_investigator", "recalled", locale, count=len(known), data=data)
        if _reports_next(state, context):
            return {"background": Background()}
        async with node_run(state, runtime, "background_investigator") as run:
            held = await overview_once(run)
        return {"background": Background(folders=held.lines, only_folders=held.only_folders)}
    async with node_run(state, runtime, "background_investigator") as run:
        if context.mcp_servers and not run.journal.replays:
            await configured(context)  # reports a refused server before anything is searched
        remembered = Remembered()
        if context.memory:
            remembered = await recall_memory(run, question, state["today"], evidence_of(runtime))
        try:
            gathered = await gather_once(run, [question], evidence_of(runtime), context.level.background, question)
        except LimitReached as limit:
            gathered, limits = Search(), [limit_message(limit, locale)]
        remembered = await without_changed(remembered, gathered.sources, evidence_of(runtime))
        alone = _reports_next(state, context)
        held = Overview() if alone else await overview_once(run)
    first = 1 + max((int(excerpt.id.rpartition("-")[2]) for excerpt in known), default=0)
    excerpts = [
        quote_best(passage, question, f"B{RECALLED}-{place}", whole=alone)
        for place, passage in enumerate(gathered.passages, first)
    ]
    sources = merge_sources(remembered.sources, gathered.sources)
    only_remembered = [known for known in remembered.excerpts if not any(map(known.lies_in, excerpts))]
    excerpts += only_remembered  # what was read now comes first
    by_memory = [Searched(name="memory", hits=len(remembered.excerpts))] if context.memory else []
    searched = [*by_memory, *gathered.searched]
    emit_message(
        runtime,
        "background",
        "background_investigator",
        "background",
        locale,
        count=len(excerpts),
        searched=in_brackets(searched, locale),
        data={
            "searched": [search.model_dump() for search in searched],
            "sources": [source.title for source in sources.values()],
            "failures": gathered.trouble(locale),
        },
    )
    return {
        "background": Background(
            excerpts=excerpts,
            failures=gathered.trouble(locale),
            titles=gathered.titles,
            folders=held.lines,
            only_folders=held.only_folders,
        ),
        "sources": sources,
        "limits": [*limits, *gathered.limits(run, locale)],
        "files": run.files,
        "usage": run.usage,
    }


def _searches(state: ResearchState, context: RunContext) -> bool:
    """Tell whether a search is due although the thread has evidence: no later plan would search for the rest."""
    triage = state["triage"]
    return triage is not None and triage.answered != "whole" and _reports_next(state, context)


def _reports_next(state: ResearchState, context: RunContext) -> bool:
    """Tell whether the report follows directly, written only from what is found here, if anything is."""
    triage = state["triage"]
    return (triage is not None and triage.complexity == "simple") or not context.deep_research


def quote_best(passage: Passage, question: str, excerpt_id: str, *, whole: bool = False) -> Excerpt:
    """Quote the sentences of a passage most relevant to the question; with `whole` also those around them."""
    start, end = best_window(passage.text, question, QUOTE)
    if whole:
        start, end = widen(passage.text, (start, end), QUOTE)
    return Excerpt(
        id=excerpt_id,
        content_hash=passage.content_hash,
        quote=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
        **above(passage.text, start, head=passage.above, section=passage.section),
    )
