"""A prompt fits into any context and any budget, however many steps stand behind it."""

from pathlib import Path

import pytest

from prompts import render
from schemas.coder import CoderPrompt, Look
from schemas.context import RunContext
from schemas.evidence_view import EvidenceView, FindingView
from schemas.reporter import ReporterPrompt
from schemas.researcher import NumberedPassage, ResearcherPrompt
from schemas.usage import Allowance
from services.models import write
from services.models.prompt_fit import FILLED, DoesNotFit, estimate_tokens, fit
from services.run.budget import Budget
from services.run.errors import LimitReached
from services.run.scope import Run, working_for
from services.turn.steps import left_out
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer
from tests.services.models.conftest import PROMPT
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
        _, messages, left_out, _ = fit("reporter", prompt(steps), room)
        sizes[steps] = estimate_tokens(messages)
        assert sizes[steps] <= room
        assert (left_out > 0) == (estimate_tokens(render("reporter", prompt(steps))) > room * FILLED)
    assert sizes[200] > 0.7 * room, "what there is room for is used"


def test_evidence_goes_before_findings_and_the_last_findings_go_first() -> None:
    _, messages, *_ = fit("reflector", PROMPT.model_copy(update={"findings": prompt(90).findings}), 6_000)
    text = messages[-1].text
    assert "E1-0" not in text
    assert "Step 1" in text
    assert "Step 90" not in text


def test_a_finding_in_a_report_keeps_its_best_excerpt_to_the_end() -> None:
    long = prompt(50)
    for item in long.findings[0].evidence[:3]:
        item.relevance = "low"
    long.findings[1].evidence.clear()
    _, messages, left_out, _ = fit("reporter", long, 4_000)
    text = messages[-1].text
    assert [number for number in range(5) if f"E1-{number}" in text] == [3]
    assert "Step 2" not in text, "what nothing can be cited of goes first"
    assert "Step 3" in text
    assert "Step 50" not in text
    assert left_out > 4 * 49


def test_what_is_left_without_any_findings_must_fit() -> None:
    with pytest.raises(DoesNotFit):
        fit("reporter", prompt(5), 100)


def test_nobody_is_asked_to_cite_when_no_evidence_is_left() -> None:
    bare = estimate_tokens(render("reporter", PROMPT_OF_REPORT)) / FILLED
    with pytest.raises(DoesNotFit):
        fit("reporter", prompt(5), int(bare) + 50)
    assert not fit("reporter", PROMPT_OF_REPORT, int(bare) + 50).left_out, "a prompt may have had none"


@pytest.mark.parametrize("with_tools", [False, True])
def test_only_a_researcher_with_tools_can_do_without_passages(*, with_tools: bool) -> None:
    text = "Words. " * 100
    passage = NumberedPassage(
        id="P1", content_hash="a", title="", start=0, end=len(text), text=text, spans=[(0, len(text))]
    )
    asked = ResearcherPrompt(
        question="How deep?",
        locale="en-US",
        title="",
        description="",
        queries=[],
        feedback="",
        findings=[],
        passages=[],
        with_tools=with_tools,
    )
    room = int(estimate_tokens(render("researcher", asked)) / FILLED) + 50
    asked.passages = [passage]
    if with_tools:
        assert fit("researcher", asked, room).left_out == 1
        return
    with pytest.raises(DoesNotFit):
        fit("researcher", asked, room)


NONE, TOKENS, MONEY = Allowance(), Allowance(tokens=7_000), Allowance(cost=0.02)


@pytest.mark.parametrize(("window", "allowed"), [(12_000, NONE), (64_000, TOKENS), (64_000, MONEY)])
async def test_what_left_no_room_for_evidence_is_said(
    endpoint: OpenAIServer, tmp_path: Path, environment: SetEnvironment, window: int, allowed: Allowance
) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("test-model: {input: 2, output: 8}\n")
    environment(LEADLINE_PRICES=str(prices), LEADLINE_CONTEXT_WINDOW=str(window))
    run = Run(RunContext(max_cost=allowed.cost), "reporter", budget=Budget(allowed))
    with working_for(run):
        reply = await write("reporter", prompt(40))
    assert 0 < reply.left_out < 40 * 5
    english, chinese = (left_out(run, locale) for locale in ("en-US", "zh-CN"))
    said = "did not fit into the model's context" if allowed is NONE else "A limit of the run left no room for"
    assert [said in note for note in english] == [True]
    assert ["上限" in note for note in chinese] == [allowed is not NONE]


async def test_a_limit_without_room_for_any_evidence_is_a_limit_that_is_reached(endpoint: OpenAIServer) -> None:
    bare = estimate_tokens(render("reporter", PROMPT_OF_REPORT))
    run = Run(node="reporter", budget=Budget(Allowance(tokens=bare + 1_100)))
    with working_for(run), pytest.raises(LimitReached):
        await write("reporter", prompt(5))
    assert not endpoint.requests


def test_earlier_looks_are_left_out_before_the_last_one() -> None:
    looks = [Look(code="", output="word " * 200, error="", thought=f"Look {at}.", quotes=[]) for at in range(3)]
    asked = CoderPrompt(question="q", locale="en-US", title="t", description="d", feedback="", findings=[], tables=[], attempts=[])  # fmt: skip

    def size(shown: list[Look]) -> int:
        return estimate_tokens(render("coder", asked.model_copy(update={"looks": shown})))

    for kept in (looks, looks[1:], looks[2:]):
        fitted = fit("coder", asked.model_copy(update={"looks": looks}), int((size(kept) + 5) / FILLED)).prompt
        assert isinstance(fitted, CoderPrompt)
        assert fitted.looks == kept
