"""The closest passages, which a run without a model shows: they hold the facts, follow a name, and judge nothing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.depth import Depth
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from tests.conftest import EXAMPLES, PROJECT

PASSAGES = json.loads((Path(__file__).parent / "passages.json").read_text("utf-8"))
FOLDERS = Path(__file__).parent / "unseen"
UNSEEN: list[dict[str, Any]] = json.loads((FOLDERS / "questions.json").read_text("utf-8"))
_VERDICT = re.compile(r"Answers the question|\byes\b|\bpartly\b|回答了问题|未能回答", re.IGNORECASE)


def shown(report: Report) -> str:
    """Return what stands between a report's title and its limits."""
    return re.split(r"\n## (?:Limits|本报告的局限)", report.markdown.partition("\n")[2])[0]


def judges_nothing(report: Report) -> bool:
    """Tell whether a report gives no verdict: neither in its data nor in the program's own words."""
    below = report.markdown.split("\n\n")[1]
    return report.answered == "" and _VERDICT.search(below) is None and "✓" not in report.markdown


@pytest.mark.parametrize(
    ("documents", "question", "facts"), PASSAGES, ids=lambda value: value if isinstance(value, str) else ""
)
async def test_the_passages_hold_the_answer(documents: str, question: str, facts: list[str]) -> None:
    report = await aresearch(question, docs=[EXAMPLES / name for name in documents.split()])
    assert [fact for fact in facts if fact not in shown(report)] == [], report.markdown
    assert judges_nothing(report)
    assert all(claim.verified for claim in report.citations), report.markdown


@pytest.mark.parametrize("asked", UNSEEN, ids=lambda asked: asked["question"])
async def test_passages_of_folders_that_no_rule_was_written_for_hold_the_answer(asked: dict[str, Any]) -> None:
    folder = PROJECT / asked["folder"] if "/" in asked["folder"] else FOLDERS / asked["folder"]
    report = await aresearch(asked["question"], docs=[folder], search="documents")
    facts = asked["gold"] if isinstance(asked["gold"], list) and asked["kind"] != "computation" else []
    assert [fact for fact in facts if fact not in shown(report)] == [], report.markdown
    assert judges_nothing(report)


@pytest.mark.parametrize("depth", ["quick", "standard", "deep"])
async def test_every_depth_has_the_same_short_form(depth: Depth) -> None:
    report = await aresearch("How long did the ascent of the Trieste take?", docs=[EXAMPLES / "deep-sea"], depth=depth)
    assert report.markdown.startswith("# Closest passages: How long did the ascent of the Trieste take?\n")
    assert re.search(r"\*\*[^*\n]+ – The descent\*\* [^*]*3 hours and 15 minutes", shown(report))
    assert re.findall(r"(?m)^## (.+)$", report.markdown.split("## References")[0]) == ["Limits of this report"]


async def test_a_second_search_follows_a_name_and_shows_the_chain() -> None:
    question = "Where was the professor who first sounded with piano wire from the schooner Lalla Rookh born?"
    told: list[str] = []
    docs = [EXAMPLES / "deep-sea"]
    report = await aresearch(question, docs=docs, on_event=lambda event: told.append(event.title))
    searches = ["Second search for names in the closest passages: William Thomson", "No model judges what was found"]
    assert [title for title in told if title in searches] == searches
    assert not re.search("confidence|enough is known|still missing", "\n".join(told))
    first, _, second = shown(report).partition("## Searched next: William Thomson")
    assert "the owner was Sir William Thomson" in first
    assert "born in Belfast" in second


@pytest.mark.parametrize(
    ("documents", "question"),
    [
        ("deep-sea", "What is the best recipe for sourdough bread?"),
        ("deep-sea", "Who won the football world cup in 2014?"),
        ("deep-sea", "What is zstd?"),
        ("myopia", "巴黎奥运会在哪一年举行？"),
        ("myopia", "如何做红烧肉？"),
    ],
)
async def test_what_no_document_touches_finds_nothing_close(documents: str, question: str) -> None:
    report = await aresearch(question, docs=[EXAMPLES / documents], search="documents")
    assert re.search("No passages close|No evidence was found|没有找到", report.markdown)
    assert report.citations == []
    assert judges_nothing(report)


async def test_sources_that_no_model_has_read_are_counted_and_not_listed() -> None:
    folders = [EXAMPLES / "deep-sea", EXAMPLES / "myopia"]
    report = await aresearch("Why was tallow used?", docs=folders, depth="quick")
    assert re.findall(r"Sources read but not cited: (\d)", report.markdown) == ["1"]
    assert "近视" not in report.markdown


async def test_figures_that_differ_stand_side_by_side() -> None:
    question = "What maximum depth of the Challenger Deep was measured in 2010?"
    report = await aresearch(question, docs=[EXAMPLES / "deep-sea"])
    assert report.contradictions
    section = report.markdown.split("## Where sources disagree")[1]
    assert "10,984" in section
    assert "10,994" in section


async def test_a_note_that_gives_two_figures_disagrees_with_itself(tmp_path: Path) -> None:
    told = "The borehole of the allotment is 34 metres deep. It was sunk in 2019. In the survey the borehole of the allotment is 29 metres deep."
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "borehole.md").write_text(f"# Borehole\n\n{told}\n", "utf-8")
    report = await aresearch("How deep is the borehole?", docs=[folder], out=tmp_path / "out")
    assert [each.differs for each in report.contradictions] == ["numbers"]
    assert told in report.markdown.split("## Where sources disagree")[1]
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize("years", [range(2025, 2026), range(2000, 2030)], ids=["small", "large"])
async def test_a_small_table_is_shown_whole_and_of_a_larger_one_rows_that_are_alike_with_their_number(
    tmp_path: Path, years: range
) -> None:
    rows = [f"{city},{year},{paid}" for year in years for city in ("Berlin", "Munich") for paid in (120, 340, 45)]
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "spending.csv").write_text("\n".join(["city,year,spent", *rows]), "utf-8")
    told = (await aresearch("What did Berlin spend in 2025?", docs=[folder], search="documents")).markdown
    assert re.findall(r"(?m)^\|(?: city| Berlin \| 2025 \| (\d+))", told) == ["", "120", "340", "45"]
    shown = told.count("\n| Berlin ") + told.count("\n| Munich ")
    counted = re.findall(r"spending: (\d+) of the table's (\d+) rows", told)
    assert (shown, counted) == (6, []) if len(rows) == 6 else [(str(shown), "180")] == counted


async def test_all_differences_that_the_question_concerns_are_shown_of_two_notes(tmp_path: Path) -> None:
    said = "The Riverside oven was replaced on {} February 2025. The new oven cost {} euros. The company has {} shops."
    for name, values in {"march": (18, "46,300", 12), "april": (25, "49,750", 11)}.items():
        (tmp_path / f"{name}.md").write_text(f"# Notes of {name}\n\n{said.format(*values)}\n", "utf-8")
    report = await aresearch("When was the Riverside oven replaced?", docs=[tmp_path], search="documents")
    section = report.markdown.split("## Where sources disagree")[1]
    days, costs = section.index("18 February 2025"), section.index("46,300")
    assert 0 < days < costs
    assert "shops" not in section
