"""A prompt fits into any context, however many steps stand behind it."""

import pytest

from prompts import render
from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from services.models.prompt_fit import FILLED, DoesNotFit, estimate_tokens, fit
from tests.services.models.test_ask import PROMPT_OF_REPORT


def prompt(steps: int) -> ReporterPrompt:

    def finding(step: int) -> FindingView:
        quotes = [
            EvidenceView(id=f"E{step}-{at}", title="A source", relevance="high", quote="Words. " * 20)
            for at in range(5)
        ]
        told = {"description": "What it was to find out. " * 4, "finding": "What it found out. " * 10}
        return FindingView(step_id=str(step), title=f"Step {step}", status="done", evidence=quotes, **told)

    return PROMPT_OF_REPORT.model_copy(update={"findings": [finding(step) for step in range(1, steps + 1)]})


@pytest.mark.parametrize("room", [4_000, 16_000])
def test_the_prompt_levels_off_at_its_room(room: int) -> None:
    sizes = {}
    for steps in (5, 50, 200):
        _, messages, left_out = fit("reporter", prompt(steps), room)
        sizes[steps] = estimate_tokens(messages)
        assert sizes[steps] <= room
        assert (left_out > 0) == (estimate_tokens(render("reporter", prompt(steps))) > room * FILLED)
    assert sizes[200] > 0.7 * room, "what there is room for is used"


def test_evidence_goes_before_findings_and_the_last_findings_go_first() -> None:
    _, messages, _ = fit("reporter", prompt(50), 4_000)
    text = messages[-1].text
    assert "E1-0" not in text
    assert "Step 1" in text
    assert "Step 50" not in text


def test_what_is_left_without_any_findings_must_fit() -> None:
    with pytest.raises(DoesNotFit):
        fit("reporter", prompt(5), 100)
