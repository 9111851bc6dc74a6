"""A deep run by the real client over a scripted model: what each mechanism does is in the events, the evidence and the report."""

import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.events import Event
from schemas.reporter import Report
from services.models import close_clients
from services.reports.bundle import verify_bundle
from tests.conftest import SetEnvironment
from tests.fakes import deep_model
from tests.fakes.deep_model import (
    ANCHOR,
    BILGE,
    ENSIGN,
    FALSE,
    MISSING,
    QUESTION,
    THINGS,
    TRUE,
    UNPROVED,
    moment_of,
    told_of,
    write_documents,
)
from tests.fakes.openai_server import OpenAIServer
from tests.graph.soundings import sections_of

pytestmark = pytest.mark.long

MOMENTS = [
    "coordinator",
    "planner 1",
    "Ground tackle, round 1",
    "Ground tackle, round 1, told of a wrong reference",
    "Ground tackle, round 2",
    "Below deck, round 1",
    "Below deck, round 2",
    "reflector 1",
    "planner 2",
    "Flags and meals, round 1",
    "Flags and meals, round 2",
    "reflector 2",
    f"section {ANCHOR}",
    f"section {BILGE}",
    f"section {ENSIGN}",
    f"{BILGE}, round 1",
    f"section {BILGE}, anew",
    "reporter_joining",
    "verifier",
    "verifier",
    "reporter_editing",
    "reporter_editing",  # what stands below the opening, and then the opening
]


class Run(NamedTuple):
    """A run as its caller sees it."""

    report: Report
    events: list[Event]

    def data(self, kind: str) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type == kind]

    @property
    def folder(self) -> Path:
        return Path(self.report.folder or "")


@pytest.fixture
async def run(endpoint: OpenAIServer, asked_once: None, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Run:
    """One deep run from its question to its files."""
    caplog.set_level(logging.INFO, "leadline")
    endpoint.choose = deep_model.answer
    events: list[Event] = []
    report = await aresearch(
        QUESTION,
        docs=[write_documents(tmp_path / "papers")],
        depth="deep",
        out=tmp_path / "out",
        on_event=events.append,
    )
    return Run(report, events)


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


async def test_every_mechanism_of_a_deep_run_is_seen_from_outside_and_replays_byte_for_byte(
    run: Run,
    endpoint: OpenAIServer,
    tmp_path: Path,
    environment: SetEnvironment,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert sorted(map(moment_of, endpoint.requests)) == sorted(MOMENTS), "each call once, and no other"
    the_plans_and_reflections_tell_of_the_outline(run)
    the_rounds_tell_what_they_found_and_ask_for(run)
    a_wrong_reference_is_told_once_then_dropped_and_counted(endpoint, caplog)
    the_weakest_section_is_researched_and_written_anew(run)
    the_evidence_holds_quotes_verbatim_statuses_and_the_outline(run)
    await the_run_replays_byte_for_byte_without_model_and_documents(run, endpoint, tmp_path, environment)


def the_plans_and_reflections_tell_of_the_outline(run: Run) -> None:
    first, second = run.data("plan")
    assert [(node["id"], node["title"]) for node in first["outline"]] == [("1", ANCHOR), ("2", BILGE)]
    assert [step["nodes"] for step in first["steps"]] == [["1"], ["2"]]
    assert [node["title"] for node in second["outline"]] == [ANCHOR, BILGE, ENSIGN]
    assert [(step["id"], step["nodes"]) for step in second["steps"]] == [("3", ["3"])]
    thin, enough = run.data("reflection")
    table = {node["title"]: node for node in thin["outline"]}
    assert table[BILGE]["query"] == "hawser beside the bilge"
    assert (table[BILGE]["thin"], table[BILGE]["sources"]) == (True, 2), "named by the reflector, and not by the count"
    assert (table[ANCHOR]["thin"], table[ANCHOR]["excerpts"] >= 8) == (False, True)
    assert (table[ENSIGN]["thin"], table[ENSIGN]["excerpts"]) == (True, 0)
    assert [each["has_enough_context"] for each in (thin, enough)] == [False, True]
    assert enough["outline"][2]["excerpts"] == 8


def the_rounds_tell_what_they_found_and_ask_for(run: Run) -> None:
    told = [
        (data["step"], data["round"], data["excerpts"], data["sources"], data["queries"]) for data in run.data("round")
    ]
    assert sorted(told) == [
        ("1", 1, 4, 1, ["capstan of the ship"]),
        ("1", 2, 8, 2, []),
        ("2", 1, 4, 1, ["davit of the ship"]),
        ("2", 2, 8, 2, []),
        ("3", 1, 4, 1, ["galley of the ship"]),
        ("3", 2, 8, 2, []),
        ("4", 1, 4, 1, []),
    ]
    assert [event.node for event in run.events if event.type == "round"][-1] == "reporter"


def a_wrong_reference_is_told_once_then_dropped_and_counted(
    endpoint: OpenAIServer, caplog: pytest.LogCaptureFixture
) -> None:
    [told] = [body for body in endpoint.requests if moment_of(body).endswith("told of a wrong reference")]
    assert MISSING in told["messages"][-1]["content"]
    said = [record.getMessage() for record in caplog.get_records("setup")]
    [dropped] = [line for line in said if line.startswith("references_dropped")]
    assert "step=1 count=1 of=5" in dropped


def the_weakest_section_is_researched_and_written_anew(run: Run) -> None:
    notices = [(event.title, event.data) for event in run.events if event.type == "notice"]
    of_section = [title for title, data in notices if data == {"section": BILGE}]
    assert of_section == [
        f"Searching for more on the weakest section, “{BILGE}”",
        f"Rewriting the section “{BILGE}” with the new findings",
    ]
    sections = sections_of(run.report.markdown)
    assert list(sections)[:3] == [ANCHOR, BILGE, ENSIGN]
    assert all(told_of("hawser")[place].rstrip(".") in sections[BILGE] for place in range(4))
    assert UNPROVED not in run.report.markdown
    assert run.events[-1].type == "report"
    assert run.events[-1].data["statuses"] == {"quoted": 28, "inferred": 1, "unverified": 2}
    assert f"{TRUE} [[1]]" in sections[ANCHOR]
    assert sections[ANCHOR].count("‡.") == 1


def the_evidence_holds_quotes_verbatim_statuses_and_the_outline(run: Run) -> None:
    stored = json.loads((run.folder / "evidence.json").read_text("utf-8"))
    texts = {source["id"]: (run.folder / source["text"]).read_text("utf-8") for source in stored["sources"]}
    of_things = [sentence for thing in THINGS for sentence in told_of(thing)]
    quoted = [excerpt for excerpt in stored["excerpts"] if excerpt["id"].startswith("E")]
    assert {excerpt["quote"] for excerpt in quoted} >= set(of_things)
    assert all(texts[one["source_id"]][one["start"] : one["end"]] == one["quote"] for one in stored["excerpts"])
    claims = {claim["text"].rstrip("."): claim for claim in stored["claims"]}
    assert [claims[sentence.rstrip(".")]["status"] for sentence in of_things] == ["quoted"] * 28
    right, wrong = claims[TRUE], claims[FALSE]
    assert (right["status"], right["verified"], right["citations"]) == ("inferred", True, ["E1-1", "E1-5"])
    assert (wrong["status"], wrong["verified"]) == ("unverified", False)
    assert "E9-9" in wrong["reason"]
    outlines = [[node["title"] for node in plan["outline"]] for plan in stored["plans"]]
    assert outlines == [[ANCHOR, BILGE], [ANCHOR, BILGE, ENSIGN]]
    assert [step["title"] for step in stored["plans"][-1]["steps"]] == ["Flags and meals", BILGE]
    assert [one["id"] for one in stored["excerpts"] if one["id"].startswith("E4-")] == [f"E4-{n}" for n in (1, 2, 3, 4)]
    assert verify_bundle(run.folder).problems == []


async def the_run_replays_byte_for_byte_without_model_and_documents(
    run: Run, endpoint: OpenAIServer, tmp_path: Path, environment: SetEnvironment
) -> None:
    await close_clients()
    environment(OPENAI_API_KEY=None, OPENAI_BASE_URL=None, LEADLINE_MODEL=None)
    for file in (tmp_path / "papers").iterdir():
        file.unlink()
    calls = len(endpoint.requests)
    again = await areplay(run.report.run_id, out=tmp_path / "again")
    assert files(Path(again.folder or "")) == files(run.folder)
    assert len(endpoint.requests) == calls
