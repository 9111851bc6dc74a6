"""Steps are sent back for a reason: what lacks something, or feedback that names something of this step alone."""

import pytest

from schemas.evidence import Excerpt
from schemas.planner import Step
from schemas.reflector import StepVerdict
from schemas.results import StepResult
from services.turn.outline_evidence import settle_verdicts

QUESTION = "Which ship sounded the trench, and how deep was it?"
STEPS = {
    number: Step(id=number, title=title, description=f"Find {title}", queries=[f"{title} in metres"])
    for number, title in (("1", "the ship"), ("2", "the depth of the trench"))
}
QUOTE = Excerpt(id="E1-1", content_hash="0" * 64, quote="q", start=0, end=1)
SOUND = StepResult(step_id="1", status="done", finding="f", excerpts=[QUOTE], confidence=0.8)


def sent_back(*verdicts: tuple[str, str], **of_first: object) -> list[str]:
    """Return the steps that are done again, where two have results."""
    first = SOUND.model_copy(update=of_first)
    results = {"1": first, "2": SOUND.model_copy(update={"step_id": "2"})}
    given = [StepVerdict(step_id=step, redo=True, feedback=feedback) for step, feedback in verdicts]
    return [verdict.step_id for verdict in settle_verdicts(given, results, STEPS, QUESTION) if verdict.redo]


@pytest.mark.parametrize(
    "feedback",
    [
        "",
        "  ",
        "Find the ship.",
    ],
)
def test_a_sound_step_is_not_sent_back_by_words_of_its_own(feedback: str) -> None:
    assert sent_back(("1", feedback)) == []


@pytest.mark.parametrize(
    "feedback",
    ["Look for the Challenger.", "The quotes are of 1912 instead.", "The unit is fathoms.", "改查一八七五年的航次"],
)
def test_a_sound_step_is_sent_back_by_feedback_that_names_something(feedback: str) -> None:
    assert sent_back(("1", feedback)) == ["1"]


@pytest.mark.parametrize(
    "lacking",
    [
        {"status": "failed", "excerpts": []},
        {"missing_aspects": ["the year"]},
        {"confidence": 0.2},
        {"error": "The second attempt found nothing."},
    ],
)
def test_a_step_that_lacks_something_is_sent_back_by_any_words_but_not_without(lacking: dict[str, object]) -> None:
    assert sent_back(("1", "Search again."), **lacking) == ["1"]
    assert sent_back(("1", " "), **lacking) == []


def test_the_same_feedback_for_several_steps_is_of_none() -> None:
    assert sent_back(("1", "Look into archives."), ("2", "Look into archives.")) == []
    assert sent_back(("1", "Look into archives."), ("2", "Look into the log of the voyage.")) == ["1", "2"]


def test_a_step_is_known_by_its_number_and_others_are_left_out() -> None:
    assert sent_back(("Step 2", "Look for the Challenger.")) == ["2"]
    given = [StepVerdict(step_id=name, redo=True, feedback="x") for name in ("9", "nobody", "1 and 2")]
    assert settle_verdicts(given, {"1": SOUND}, STEPS, QUESTION) == []
