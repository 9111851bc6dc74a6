"""What a reflection and a later plan see of steps: each text once, and what no reflection has compared yet as missing."""

import re

from prompts import render
from schemas.card import Card
from schemas.evidence import Excerpt, Relevance, Source
from schemas.evidence_view import FindingView
from schemas.planner import Step
from schemas.reflector import ReflectorPrompt, StepVerdict
from schemas.results import StepResult
from services.evidence.views import finding_views, overview, within

TEXT = "The wire was tried first. It held for a year. Then it broke."
SOURCES = {
    key: Source(
        url=key,
        title="The wire machine, tried aboard the yacht",
        kind="document",
        content_hash=key,
        published="1876-01-01",
        card=Card(name=name),
    )
    for key, name in (("a", "Report 7"), ("b", ""))
}
STEPS = {step_id: Step(id=step_id, title=f"Step {step_id}", description="") for step_id in "123"}


def excerpt(key: str, start: int, end: int, relevance: Relevance = "medium", source: str = "a") -> Excerpt:
    return Excerpt(id=key, content_hash=source, quote=TEXT[start:end], start=start, end=end, relevance=relevance)


def result(step_id: str, *excerpts: Excerpt, judged: bool = False) -> StepResult:
    verdicts = [StepVerdict(step_id=step_id, attempt=1)] if judged else []
    return StepResult(
        step_id=step_id, status="done", excerpts=list(excerpts), missing_aspects=[f"gap of {step_id}"], reflections=verdicts
    )  # fmt: skip


RESULTS = {
    "1": result("1", excerpt("E1-1", 0, 25), excerpt("E1-2", 26, 45), judged=True),
    "2": result("2", excerpt("E2-1", 0, 45, "low"), excerpt("E2-2", 0, 25, source="b")),
    "3": result("3", excerpt("E3-1", 0, 25, "high"), excerpt("E3-2", 46, 60)),
}


def prompted(findings: list[FindingView], *gaps: str) -> str:
    """Return what a reflection is shown."""
    prompt = ReflectorPrompt(
        question="When did it break?", locale="en-US", today="2026-01-01", findings=findings, gaps=list(gaps),
        plan_iterations=2, max_plan_iterations=3, max_step_attempts=2,
    )  # fmt: skip
    return render("reflector", prompt)[1].text


def test_an_excerpt_of_high_relevance_is_shown_whoever_holds_its_text() -> None:
    shown = [
        item.id
        for found in overview(STEPS, RESULTS, SOURCES, lambda _, item: item.relevance == "high", 1_000)
        for item in found.evidence
    ]
    assert shown == ["E2-1"]


def test_the_prompt_has_each_text_once_names_a_source_in_full_once_and_the_gaps_that_no_check_has_compared() -> None:
    human = prompted(overview(STEPS, RESULTS, SOURCES, lambda *_: True, 1_000), "why it broke")
    assert re.findall("<(?:source|excerpt) .*", human) == [
        '<source title="The wire machine, tried aboard the yacht" published="1876-01-01">',
        '<excerpt id="E2-1" also="E1-1 E3-1 E1-2">',
        '<source title="The wire machine, tried aboard the yacht" published="1876-01-01">',  # which has no short name
        '<excerpt id="E2-2" relevance="medium">',
        '<source title="Report 7">',
        '<excerpt id="E3-2" relevance="medium">',
    ]
    assert human.count("It held for a year.") == 1
    assert "<gap>why it broke</gap>" in human
    assert re.findall("gap of .", human) == ["gap of 2", "gap of 3"]


def test_the_excerpts_of_a_source_stand_together_and_as_they_stand_in_it() -> None:
    found = result("1", excerpt("E1-1", 46, 60, "high"), excerpt("E1-2", 0, 25, source="b"), excerpt("E1-3", 0, 25))
    human = prompted(within(findings_of({"1": found}), 100))
    assert re.findall(r'<excerpt id="(.*?)"', human) == ["E1-3", "E1-1", "E1-2"]


def test_what_has_no_room_is_counted_and_the_most_relevant_of_each_step_comes_first() -> None:
    results = {
        "1": result("1", excerpt("E1-1", 0, 25), excerpt("E1-2", 26, 45, "high")),
        "2": result("2", excerpt("E2-1", 46, 60), excerpt("E2-2", 0, 25, "high", source="b")),
    }
    findings = overview(STEPS, results, SOURCES, lambda *_: True, 12)
    assert [[item.id for item in found.evidence] for found in findings] == [["E1-2"], ["E2-2"]]
    assert [found.hidden for found in findings] == [1, 1]
    kept = within(findings_of(results), 0, {"E2-1"})
    assert [[item.id for item in found.evidence] for found in kept] == [[], ["E2-1"]]


def test_all_that_was_computed_is_shown_whatever_the_room() -> None:
    steps = {"1": STEPS["1"], "2": STEPS["2"].model_copy(update={"step_type": "processing"})}
    found = {
        "1": result("1", excerpt("E1-1", 0, 25)),
        "2": result("2", excerpt("E2-1", 26, 45), excerpt("E2-2", 46, 60)),
    }
    shown = overview(steps, found, SOURCES, lambda *_: True, 1)
    assert [[item.id for item in finding.evidence] for finding in shown] == [[], ["E2-1", "E2-2"]]


def findings_of(results: dict[str, StepResult]) -> list[FindingView]:
    return finding_views(STEPS, results, SOURCES)
