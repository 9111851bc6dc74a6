"""Background investigator: one quick search of the question, so that planning starts informed."""

from langgraph.runtime import Runtime

from schemas.background_investigator import Background
from schemas.context import RunContext
from schemas.evidence import Excerpt, Passage
from schemas.state import ResearchState
from services.errors import LimitReached
from services.evidence.quoting import best_window
from services.progress import emit_message
from services.runs import evidence_of, node_run
from services.search.recorded import Search, gather_once
from services.steps import limit_said

PASSAGES = 6
QUOTE = 600
"""Characters of a passage that are quoted."""


async def background_investigator(state: ResearchState, runtime: Runtime[RunContext]) -> ResearchState:
    """Search the web and the user's documents for the question itself; no model is called."""
    locale, question = state["locale"], _question(state)
    limits: list[str] = []
    async with node_run(state, runtime, "background_investigator") as run:
        try:
            found = await gather_once(run, [question], evidence_of(runtime), PASSAGES, question)
        except LimitReached as limit:
            found, limits = Search(), [limit_said(limit, locale)]
    excerpts = [quote_best(passage, question, f"E0-{place}") for place, passage in enumerate(found.passages, 1)]
    emit_message(
        runtime,
        "background",
        "background_investigator",
        "background",
        locale,
        count=len(excerpts),
        data={"sources": [source.title for source in found.sources.values()], "failures": found.failures},
    )
    return {
        "background": Background(excerpts=excerpts, failures=found.failures),
        "sources": found.sources,
        "limits": [*limits, *found.limits(run, locale)],
        "usage": run.usage,
    }


def quote_best(passage: Passage, question: str, excerpt_id: str) -> Excerpt:
    """Quote the sentences of a passage that say most about the question."""
    start, end = best_window(passage.text, question, QUOTE)
    return Excerpt(
        id=excerpt_id,
        source_id=passage.content_hash,
        quote=passage.text[start:end],
        start=passage.start + start,
        end=passage.start + end,
    )


def _question(state: ResearchState) -> str:
    triage = state["triage"]
    return triage.question if triage is not None else state["question"]
