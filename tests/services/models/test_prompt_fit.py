"""A prompt fits into any context, however many steps stand behind it."""

import pytest
from langchain_core.messages import HumanMessage

from prompts import render
from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from services.models.prompt_fit import FILLED, DoesNotFit, estimate_tokens, fit


def prompt(steps: int) -> ReporterPrompt:
    """Return a reporter's prompt over so many steps."""
    findings = [
        FindingView(
            step_id=str(number),
            title=f"Step {number}",
            description="What it was to find out. " * 4,
            step_type="research",
            status="done",
            finding="What it found out. " * 10,
            confidence=0.9,
            attempts=1,
            missing_aspects=[],
            error="",
            evidence=[
                EvidenceView(
                    id=f"E{number}-{at}",
                    title="A source",
                    published="",
                    kind="web",
                    relevance="high",
                    quote="Words. " * 20,
                )
                for at in range(5)
            ],
        )
        for number in range(1, steps + 1)
    ]
    return ReporterPrompt(
        question="What was found out?",
        locale="en-US",
        today="2026-01-01",
        length="standard",
        tone="",
        findings=findings,
        background=[],
        contradictions=[],
        missing_aspects=[],
    )


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


def test_digits_count_as_tokens_of_their_own() -> None:
    words, digits = ("abcd " * 400), ("1234 " * 400)
    assert estimate_tokens([HumanMessage(digits)]) > 3 * estimate_tokens([HumanMessage(words)])
