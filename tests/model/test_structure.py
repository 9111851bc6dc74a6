"""What holds whatever the model answers: fitting triage and plan, verbatim quotes, checked sentences, an end in time."""

import json
import re
from collections.abc import Iterator

import pytest

from schemas.planner import Plan
from services.reports.bundle import verify_bundle
from tests.conftest import PROJECT
from tests.model.conftest import COMPARED, Research

pytestmark = pytest.mark.timeout(1_500)
_EXAMPLE = re.compile(r"`([^`\n]*)`")
_MARKS = re.compile(r"\[[^\]]{1,20}\]|[.…]")
WORDS_OF_A_SENTENCE = 5


def example_sentences() -> Iterator[str]:
    """Yield what stands in the prompts between back-ticks and is as long as a sentence, without citations."""
    for file in (PROJECT / "prompts").rglob("*.md"):
        for match in _EXAMPLE.finditer(file.read_text("utf-8")):
            sentence = " ".join(_MARKS.sub(" ", match[1]).split())
            if len(sentence.split()) >= WORDS_OF_A_SENTENCE and not set(sentence) & set("{}|"):
                yield sentence


def need_a_plan(run: Research) -> None:
    """Skip where the model read the question as one that needs no plan."""
    if run.state["triage"].complexity == "simple":
        pytest.skip("The model read the comparison as a simple question and made no plan.")


def test_a_run_with_a_plan_ends_by_itself_in_time(standard: Research) -> None:
    assert standard.ended["ended"], standard.progress


def test_a_quick_run_ends_by_itself_in_time(quick: Research) -> None:
    assert quick.ended["ended"], quick.progress


def test_the_triage_fits_the_question(standard: Research) -> None:
    triage = standard.state["triage"]
    assert triage.intent == "in_scope"
    assert triage.locale.startswith("en")
    assert triage.original == COMPARED


def test_the_plan_is_settled(standard: Research) -> None:
    need_a_plan(standard)
    plan: Plan = standard.state["plans"][0]
    ids = [step.id for step in plan.steps]
    assert ids
    assert len(set(ids)) == len(ids)
    assert all(step.queries or step.step_type == "processing" for step in plan.steps)
    assert all(need in ids[:place] for place, step in enumerate(plan.steps) for need in step.depends_on)


def test_researchers_quote_verbatim(standard: Research) -> None:
    need_a_plan(standard)
    excerpts = [excerpt for result in standard.state["results"].values() for excerpt in result.excerpts]
    assert excerpts
    for excerpt in excerpts:
        assert standard.texts[excerpt.content_hash][excerpt.start : excerpt.end] == excerpt.quote


@pytest.mark.parametrize("kind", ["standard", "quick"])
def test_a_report_has_a_checked_sentence_and_verifies(kind: str, request: pytest.FixtureRequest) -> None:
    run: Research = request.getfixturevalue(kind)
    evidence = json.loads((run.folder / "evidence.json").read_text("utf-8"))
    assert any(claim["verified"] for claim in evidence["claims"])
    assert verify_bundle(run.folder).problems == []


@pytest.mark.parametrize("kind", ["standard", "quick"])
def test_no_example_of_a_prompt_stands_in_a_report(kind: str, request: pytest.FixtureRequest) -> None:
    run: Research = request.getfixturevalue(kind)
    report = " ".join(_MARKS.sub(" ", (run.folder / "report.md").read_text("utf-8")).split())
    assert [sentence for sentence in example_sentences() if sentence in report] == []
