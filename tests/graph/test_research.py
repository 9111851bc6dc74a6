"""Whole runs, most without a model, over a small folder: the loop, the limits, the evidence, and what is said when there is none."""

from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.events import Event
from services.run.errors import BadInput, DocumentsError
from tests.fakes.read_folder import filled

BRIDGE = "Where was the designer of the wire sounding machine born?"


async def events_of(question: str, docs: Path, **choices: Any) -> tuple[list[Event], Any]:
    seen: list[Event] = []
    report = await aresearch(question, docs=[docs], on_event=seen.append, **choices)
    return seen, report


async def test_a_name_found_first_leads_to_a_second_plan_for_the_gap_only(docs: Path) -> None:
    seen, report = await events_of(BRIDGE, docs)
    plans = [event.data for event in seen if event.type == "plan"]
    assert len(plans) == 2
    assert not {step["id"] for step in plans[0]["steps"]} & {step["id"] for step in plans[1]["steps"]}
    assert any("Thomson" in query for step in plans[1]["steps"] for query in step["queries"])
    assert "Belfast" in report.markdown


async def test_the_plan_limit_holds_and_the_report_names_it(docs: Path) -> None:
    seen, report = await events_of(BRIDGE, docs, max_plan_iterations=1)
    assert sum(event.type == "plan" for event in seen) == 1
    assert "max_plan_iterations" in report.markdown


async def test_copies_count_once_and_are_named(docs: Path) -> None:
    report = await aresearch(
        "Who designed the wire sounding machine in 1872 and where was it tried first?", docs=[docs]
    )
    copies = [source for source in report.sources if source.duplicate_of]
    assert [Path(source.url).name for source in copies] in (["machine-reprint.md"], ["machine.md"])


async def test_exact_copies_are_one_source_at_all_their_addresses(tmp_path: Path) -> None:
    text = "The wire of the sounding machine is of steel.\n"
    folder = filled(tmp_path / "docs", dict.fromkeys(("a.md", "b.md", "c.txt"), text))
    [source] = (await aresearch("Of what is the wire?", docs=[folder], deep_research=False)).sources
    assert source.addresses == ["docs/a.md", "docs/b.md", "docs/c.txt"]


async def test_without_evidence_the_report_makes_no_claims() -> None:
    report = await aresearch(BRIDGE, search="none")
    assert report.excerpts == []
    assert report.citations == []
    assert "No evidence was found" in report.markdown


async def test_a_failed_step_is_shown_as_failed(docs: Path) -> None:
    report = await aresearch("Compare the zyxwv of Qqrst and the zyxwv of Vvwxy", docs=[docs])
    assert "failed" in report.markdown
    assert all(result.status == "failed" for result in report.results)


@pytest.mark.usefixtures("endpoint")
async def test_a_simple_question_takes_the_fast_path(docs: Path) -> None:
    seen, report = await events_of("When was William Thomson knighted?", docs)
    assert not any(event.type == "plan" for event in seen)
    assert "1866" in report.markdown
    assert set(report.usage.roles) == {"coordinator", "reporter"}


async def test_deep_research_off_goes_from_the_background_to_the_report(docs: Path) -> None:
    seen, _ = await events_of(BRIDGE, docs, deep_research=False)
    assert [event.type for event in seen if event.type in {"background", "plan", "report"}] == ["background", "report"]


@pytest.mark.parametrize("question", ["", "  \n "])
async def test_an_empty_question_is_refused(docs: Path, question: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        await aresearch(question, docs=[docs])


async def test_an_endless_question_is_refused_with_what_to_do(docs: Path) -> None:
    with pytest.raises(BadInput, match="`docs`"):
        await aresearch("depth " * 20_000, docs=[docs])


@pytest.mark.parametrize(
    "choice", [{"max_plan_iterations": 0}, {"max_step_num": 1000}, {"locale": "klingon"}, {"no_such": 1}]
)
async def test_an_impossible_choice_is_refused_by_name(docs: Path, choice: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=next(iter(choice))):
        await aresearch(BRIDGE, docs=[docs], **choice)


async def test_a_missing_or_empty_documents_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentsError, match="does not exist"):
        await aresearch(BRIDGE, docs=[tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(DocumentsError, match="no documents that can be read"):
        await aresearch(BRIDGE, docs=[tmp_path / "empty"])
