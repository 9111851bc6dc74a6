"""What a report says is not told, or still open, is judged by the nearest passages of all that was read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.store import open_home
from schemas.events import Event
from services.reports.bundle import verify_bundle
from services.run.settings import settings
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before
from tests.graph.judging import MAY_RETIRE, QUESTION, QUOTES, editing, quoted_whole, verdicts

UNSEEN = ("call", "call_progress", "draft")
"""Kinds of events that do not say what is being done."""
UNKNOWN = "The sources do not say why the northern pier was closed."


async def test_what_a_report_says_is_not_told_is_judged_by_all_evidence_and_left_out_where_that_tells_it(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1] {UNKNOWN}"]
    endpoint.script["verifier"] = [
        verdicts((1, "absent", "")),
        verdicts((1, "contradicted", "Storms closed the northern pier")),
    ]
    events: list[Event] = []
    report = await aresearch(QUESTION, docs=[ferry], on_event=events.append)
    titles = [event.title for event in events if event.node == "reporter" and event.type not in UNSEEN]
    assert titles[-3:-1] == [f"Searching documents: {UNKNOWN}", "Checking the report against its sources"]
    first, second = endpoint.asked("verifier")
    assert UNKNOWN in first
    assert f"<quote>\n{QUOTES[2]}" not in first
    assert re.findall(r'cites="(.*?)">\n(.+)\n', second)[0][1] == UNKNOWN
    assert QUOTES[2] in second.partition("<quote>")[2]
    assert UNKNOWN not in report.markdown
    assert [claim.text for claim in report.left_out] == [UNKNOWN]
    [message] = endpoint.asked("reporter_editing")
    assert f'<objection statement="{UNKNOWN}">' in message


async def test_what_a_source_tells_although_the_report_says_that_it_does_not_becomes_an_excerpt(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    white = "The ferry of Norland is white."
    built = "The ferry of Norland was built in 1961 by the yard of Ostby."
    limit = "Of that ferry only the funnel is left."
    ferry = quoted_whole(endpoint, tmp_path / "ferry", "The ferry of Norland", [*QUOTES, white, built, limit])
    endpoint.script["researcher"] = [quoting(QUOTES[0], QUOTES[2], white)]
    endpoint.script["reporter"] = [
        f"{QUOTES[2]} [E1-2]\n\n{QUOTES[0]} [E1-1] The sources do not tell who built the ferry of Norland."
    ]
    endpoint.script["verifier"] = [
        verdicts((1, "absent", "")),
        verdicts((1, "contradicted", "built in 1961 by the yard of Ostby")),
    ]
    told = f"{QUOTES[0]} [E1-1] {built} [E1-4]"
    endpoint.script["reporter_editing"] = [editing(("B2", "replace", told))]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out")
    [message] = endpoint.asked("reporter_editing")
    shown = message.partition("<draft>")[0]
    assert all(f'<excerpt id="{key}"' in shown for key in ("E1-2", "E1-4")), "what the draft cites, and what is told"
    assert [(claim.text, claim.citations, claim.status) for claim in report.citations] == [
        (QUOTES[2], ["E1-2"], "quoted"),
        (QUOTES[0], ["E1-1"], "quoted"),
        (built, ["E1-4"], "quoted"),
    ]
    [result] = report.results
    assert [excerpt.quote for excerpt in result.excerpts] == [QUOTES[0], QUOTES[2], white, f"{built}\n\n{limit}"]
    assert not report.left_out
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize(
    ("built", "sought"),
    [
        ("The Heron was built in 1961 by the yard of Ostby.", ""),
        ("Her keel was laid in 1961 by the yard of Ostby.", "The keel was laid by a yard."),
    ],
)
async def test_what_a_quick_answer_says_is_not_told_becomes_an_excerpt_of_the_background_search(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path, built: str, sought: str
) -> None:
    filler = "The sound was calm on that day, and nobody built the Heron then."
    days = [f"## Day {number}\n\n{filler} {filler}" for number in range(60)]
    (ferry / "yard.md").write_text("# Boatbuilders\n\n" + "\n\n".join([*days, filler, built]) + "\n")
    endpoint.script["reporter"] = [f"{QUOTES[0]} [B0-1] The sources do not tell who built the Heron."]
    endpoint.script["verifier"] = [
        verdicts((1, "absent", sought)),
        verdicts((1, "contradicted", "by the yard of Ostby")),
    ]

    def choose(body: dict[str, Any]) -> str | None:
        new = re.findall(rf'id="(B0-\d+)"[^>]*>\n[^<]*{filler}\s+{built}', body["messages"][-1]["content"])
        told = f"{QUOTES[0]} [B0-1] {built} [{new[0]}]" if new else ""
        return editing(("B1", "replace", told)) if role_of(body) == "reporter_editing" else None

    endpoint.choose = choose
    report = await aresearch(QUESTION, docs=[ferry], deep_research=False, out=tmp_path / "out")
    assert [claim.status for claim in report.citations] == ["quoted", "quoted"], report.markdown
    async with open_home(settings().leadline_home) as home:
        values = await home.values(await home.record(report.run_id))
    assert built in values["background"].excerpts[-1].quote
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize("again", ["contradicted", "partly", "supported"])
async def test_what_a_report_calls_open_is_judged_by_passages_that_may_have_settled_it(
    endpoint: OpenAIServer, ferry: Path, again: str
) -> None:
    decided = "It was decided in 1973 that the captain retires with the Heron."
    (ferry / "later.md").write_text(f"# Decisions\n\n{decided}\n")
    step = {"id": "1", "title": "Captain", "description": "d", "queries": ["captain decided", "The ferry of Norland"]}
    endpoint.script["planner"] = [json.dumps({"title": "Ferry", "steps": [step]})]
    said = "Whether the captain retires is open"
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1] {said} [E1-2]."]
    endpoint.script["verifier"] = [
        verdicts((1, "open", "may retire")),
        verdicts((1, again, "It was decided in 1973")),
    ]
    report = await aresearch(QUESTION, docs=[ferry])
    first, second = endpoint.asked("verifier")
    assert decided not in first
    assert decided in second
    assert 'id="E1-2"' in second, "what the statement cites is shown as well"
    assert [claim.status for claim in report.citations if claim.text.startswith(said)] == {
        "contradicted": [], "partly": ["unverified"], "supported": ["supported"]
    }[again]  # fmt: skip
    objection = f'<objection statement="{said}'
    assert any(objection in message for message in endpoint.asked("reporter_editing")) is (again != "supported")


async def test_what_no_evidence_tells_may_be_said_to_be_missing_and_is_not_marked(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    missing = "How much the ferry cost is nowhere put into figures"
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1] The sources do not say who built the ferry. {missing} [E1-1]."]
    endpoint.script["verifier"] = [
        verdicts((1, "absent", ""), (2, "absent", "")),
        verdicts((1, "absent", ""), (2, "not_told", "")),
    ]
    report = await aresearch(QUESTION, docs=[ferry])
    assert "who built the ferry." in report.markdown
    assert f"{missing} [[1]]" in report.markdown
    assert not report.left_out
    assert all(claim.verified for claim in report.citations)


async def test_what_was_found_to_be_told_nowhere_is_not_judged_again_when_the_editor_changed_what_stands_before_it(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    left_open = "The report leaves open who built the ferry"
    endpoint.script["reporter"] = [f"The captain retires in spring [E1-1].\n\n{left_open}."]
    endpoint.script["verifier"] = [
        verdicts((1, "contradicted", "18,200 passengers"), (2, "absent", "")),
        verdicts((1, "absent", "")),
        verdicts((1, "supported", "may retire")),
    ]
    endpoint.script["reporter_editing"] = [editing(("B1", "replace", MAY_RETIRE))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert [left_open in message for message in endpoint.asked("verifier")] == [True, True, False]
    assert f"{left_open}." in report.markdown
    assert "†" not in report.markdown


async def test_what_is_told_in_a_document_that_nothing_read_is_found_and_becomes_an_excerpt(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    built = "The Heron was built in 1961 by the yard of Ostby."
    for number in range(40):  # more than a run reads
        (ferry / f"{number}.md").write_text(
            f"# Log {number}\n\nThe ferry of Norland crossed {number} times that day.\n"
        )
    (ferry / "yard.md").write_text(f"# Boatbuilders\n\n{built}\n")
    unknown = "The report leaves open which yard built the Heron"
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1]\n\n{unknown}."]
    endpoint.script["verifier"] = [verdicts((1, "absent", "")), verdicts((1, "contradicted", "by the yard of Ostby"))]
    endpoint.script["reporter_editing"] = [editing(("B2", "replace", f"{built[:-1]} [E1-4]."))]
    report = await aresearch(QUESTION, docs=[read_before(ferry)], out=tmp_path / "out")
    first, second = endpoint.asked("verifier")
    assert (built in first, built in second) == (False, True)
    [message] = endpoint.asked("reporter_editing")
    assert '<excerpt id="E1-4"' in message.partition("<draft>")[0], "the editor can cite it"
    assert [(claim.text, claim.citations) for claim in report.citations] == [(QUOTES[0], ["E1-1"]), (built, ["E1-4"])]
    assert "yard.md" in " ".join(source.url for source in report.sources)
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_title_that_says_that_something_is_not_told_is_judged_by_all_that_was_read(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    title = "Why the northern pier was closed is not told"
    sections = f"## Passengers\n\n{QUOTES[0]} [E1-1]\n\n## The captain\n\nIts captain might retire [E1-2]."
    endpoint.script["reporter"] = [f"# {title}\n\n**TL;DR** The ferry carried more.\n\n{sections}"]
    endpoint.script["verifier"] = [
        verdicts((1, "supported", "may retire")),
        verdicts((1, "absent", ""), (2, "supported", "carried")),
        verdicts((1, "contradicted", "Storms closed the northern pier")),
    ]
    retitled = editing(("B1", "replace", "# The ferry of Norland carried more"))
    endpoint.script["reporter_editing"] = [editing(), retitled]
    report = await aresearch(QUESTION, docs=[ferry])
    assert QUOTES[2] in endpoint.asked("verifier")[2]
    _, message = endpoint.asked("reporter_editing")
    assert f'<objection statement="{title}">' in message
    assert report.title == "The ferry of Norland carried more"
