"""The excerpts that a report may cite: those of its steps, of earlier turns, and those of the background that are shown."""

from schemas.evidence import Excerpt
from schemas.state import ResearchState
from services.evidence.background import background_views, unquoted


def cited_evidence(state: ResearchState) -> list[Excerpt]:
    """Return what the report may cite: what earlier turns left, the steps' excerpts, and the background's that are shown or disputed."""
    results, background = state["results"], state["background"]
    found = [excerpt for result in sorted(results, key=int) for excerpt in results[result].excerpts]
    shown = {view.id for view in background_views(background, results, state["sources"])}
    shown |= _disputed(state)
    return [*found, *(excerpt for excerpt in (background.excerpts if background else []) if excerpt.id in shown)]


def kept_evidence(state: ResearchState, excerpts: list[Excerpt]) -> list[Excerpt]:
    """Return what a report keeps: what it may cite, and what else of the background search no step quotes.

    An excerpt names as confirming it only others that are kept.
    """
    besides = (excerpt for excerpt, _ in unquoted(state["background"], state["results"]))
    kept = {excerpt.id: excerpt for excerpt in [*excerpts, *besides]}
    return [
        excerpt.model_copy(update={"confirmed_by": [key for key in excerpt.confirmed_by if key in kept]})
        for excerpt in kept.values()
    ]


def _disputed(state: ResearchState) -> set[str]:
    """Return the ids of the excerpts that contradict each other."""
    reflection = state["reflection"]
    contradictions = reflection.contradictions if reflection else []
    return {side for contradiction in contradictions for side in contradiction.excerpt_ids}
