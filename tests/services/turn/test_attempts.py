"""What an earlier attempt found stays, whatever comes of the next."""

from schemas.evidence import Excerpt
from schemas.planner import Step
from schemas.results import StepResult
from services.turn.steps import with_earlier

PROCESSING = Step(id="2", title="t", description="d", step_type="processing", need_web_search=False)


def excerpt(number: int, quote: str) -> Excerpt:
    return Excerpt(id=f"E2-{number}", content_hash="s", quote=quote, start=ord(quote), end=ord(quote) + 1)


FIRST = StepResult(step_id="2", status="done", finding="first", excerpts=[excerpt(1, "a"), excerpt(2, "b")])


def test_a_program_that_is_redone_takes_the_place_of_the_wrong_one_under_ids_of_its_own() -> None:
    latest = StepResult(step_id="2", status="done", finding="second", excerpts=[excerpt(1, "c")])
    result = with_earlier(PROCESSING, latest, FIRST, 2, "en-US")
    assert [(one.id, one.quote) for one in result.excerpts] == [("E2-3", "c")]
