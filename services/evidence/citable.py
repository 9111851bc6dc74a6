"""What a report may cite: the excerpts of its steps, of earlier turns, and those of the background that are shown."""

import re

from schemas.evidence import Excerpt
from schemas.results import RECALLED
from schemas.state import ResearchState
from services.evidence.background import background_views


def cited_evidence(state: ResearchState) -> list[Excerpt]:
    """Return what the report may cite: what earlier turns left, the steps' excerpts, and the background's that are shown or disputed."""
    results, background = state["results"], state["background"]
    found = [excerpt for result in sorted(results, key=int) for excerpt in results[result].excerpts]
    shown = {view.id for view in background_views(background, results, state["sources"])}
    shown |= _disputed(state)
    return [*found, *(excerpt for excerpt in (background.excerpts if background else []) if excerpt.id in shown)]


def in_report(state: ResearchState, excerpts: list[Excerpt], text: str) -> list[Excerpt]:
    """Leave out background excerpts that nothing cites, where steps found something: what was shown and not used is no source."""
    results = state["results"]
    if not any(result.excerpts for step_id, result in results.items() if step_id != RECALLED):
        return excerpts
    found = {excerpt.id for result in results.values() for excerpt in result.excerpts}
    found |= _disputed(state)
    return [excerpt for excerpt in excerpts if excerpt.id in found or re.search(rf"\b{excerpt.id}\b", text)]


def _disputed(state: ResearchState) -> set[str]:
    """Return the ids of the excerpts that contradict each other."""
    reflection = state["reflection"]
    contradictions = reflection.contradictions if reflection else []
    return {side for contradiction in contradictions for side in contradiction.excerpt_ids}
