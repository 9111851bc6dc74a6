"""Attempts of one step: evidence of an earlier attempt is kept, whatever the next attempt finds."""

from schemas.evidence import Excerpt
from schemas.planner import Step
from schemas.results import StepResult
from services.run.ui_text import say


def with_earlier(step: Step, result: StepResult, previous: StepResult | None, number: int, locale: str) -> StepResult:
    """Merge the result of an attempt with the evidence of the step's earlier attempts.

    An attempt that came to nothing leaves the earlier finding in place and says in `error` why it added nothing. One that
    succeeded gives the finding; excerpts of a research step are those of all attempts, a passage that both quote
    once, while a program that was redone takes the place of the one that was wrong. Ids of new excerpts go on from the
    earlier ones, so that an id never means two things.

    Args:
        step: the step.
        result: result of the latest attempt alone.
        previous: the step's previous result, if any.
        number: number of the latest attempt, from 1.
        locale: language of the messages.
    """
    if previous is None or not previous.excerpts:
        return result
    if result.status != "done":
        error = say("redo_failed", locale, id=step.id, attempt=number, error=result.error)
        return previous.model_copy(update={"error": error})
    if step.step_type == "processing":
        return result.model_copy(update={"excerpts": _numbered_on(step.id, result.excerpts, previous.excerpts)})
    places = {(excerpt.content_hash, excerpt.start, excerpt.end) for excerpt in previous.excerpts}
    fresh = [excerpt for excerpt in result.excerpts if (excerpt.content_hash, excerpt.start, excerpt.end) not in places]
    merged = [*previous.excerpts, *_numbered_on(step.id, fresh, previous.excerpts)]
    return result.model_copy(update={"excerpts": merged})


def _numbered_on(step_id: str, excerpts: list[Excerpt], earlier: list[Excerpt]) -> list[Excerpt]:
    """Number excerpts after the highest number that the step has used."""
    highest = max((int(excerpt.id.rpartition("-")[2]) for excerpt in earlier), default=0)
    numbered = enumerate(excerpts, highest + 1)
    return [excerpt.model_copy(update={"id": f"E{step_id}-{number}"}) for number, excerpt in numbered]
