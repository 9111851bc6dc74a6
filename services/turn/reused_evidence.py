"""Limits about evidence of a report that was not searched for its question."""

from schemas.results import RECALLED
from schemas.state import ResearchState
from services.run.ui_text import say


def reused_limits(state: ResearchState, text: str) -> list[str]:
    """Return limits about evidence of earlier turns, and about cited statements remembered from other threads."""
    return [*_of_the_thread(state), *_remembered(state, text)]


def _of_the_thread(state: ResearchState) -> list[str]:
    recalled = state["results"].get(RECALLED)
    if recalled is None:
        return []
    sources = {excerpt.content_hash for excerpt in recalled.excerpts}
    return [say("reused", state["locale"], quotes=len(recalled.excerpts), sources=len(sources))]


def _remembered(state: ResearchState, text: str) -> list[str]:
    excerpts = state["background"].excerpts if state["background"] else []
    cited = [excerpt for excerpt in excerpts if f"[{excerpt.id}]" in text]
    days = [day for excerpt in cited if (day := state["sources"][excerpt.content_hash].known_from)]
    return [say("remembered", state["locale"], quotes=len(days), day=min(days))] if days else []
