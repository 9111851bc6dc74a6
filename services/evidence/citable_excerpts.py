"""The excerpts of a run, and those that its report may cite: of its steps, of earlier turns, and of the background those that are shown."""

from collections.abc import Callable, Sequence

from schemas.evidence import Excerpt
from schemas.state import ResearchState
from services.evidence.background import background_views, unquoted


def all_excerpts(state: ResearchState) -> list[Excerpt]:
    """Return the excerpts of steps, of earlier turns and of the background."""
    results, background = state["results"], state["background"]
    found = [excerpt for result in sorted(results, key=int) for excerpt in results[result].excerpts]
    return [*found, *(background.excerpts if background else [])]


def with_each(state: ResearchState, change: Callable[[Excerpt], Excerpt]) -> ResearchState:
    """Return the state with each of its excerpts changed."""

    def changed(excerpts: Sequence[Excerpt]) -> dict[str, list[Excerpt]]:
        return {"excerpts": list(map(change, excerpts))}

    results = {key: result.model_copy(update=changed(result.excerpts)) for key, result in state["results"].items()}
    background = state["background"]
    found = background and background.model_copy(update=changed(background.excerpts))
    return {**state, "results": results, "background": found}


def cited_evidence(state: ResearchState) -> list[Excerpt]:
    """Return what the report may cite: what earlier turns left, the steps' excerpts, and the background's that are shown or disputed."""
    background = state["background"]
    shown = {view.id for view in background_views(background, state["results"], state["sources"])}
    hidden = {excerpt.id for excerpt in (background.excerpts if background else [])} - shown - _disputed(state)
    return [excerpt for excerpt in all_excerpts(state) if excerpt.id not in hidden]


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
