"""A scripted run whose writer marks inferences: what follows is shown as inference in every format, the rest is not verified."""

import json
import re
from pathlib import Path

import pytest

from leadline import aresearch
from schemas.context import OutputFormat
from schemas.evidence import standing
from services.reports.bundle import verify_bundle
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.formats import render
from services.reports.statuses import sure_claims
from tests.fakes.openai_server import OpenAIServer
from tests.graph.judging import quoted_whole, verdicts

QUESTION = "Which cell suits a storage of the grid, sodium or lithium?"
QUOTES = [
    "The sodium cell kept 80 percent of its capacity for 4,200 cycles at a price of 62 euros per kilowatt-hour.",
    "The lithium cell kept 80 percent of its capacity for 6,100 cycles at a price of 108 euros per kilowatt-hour.",
    "Both cells were tested for the grid at 25 degrees in the laboratory of Varnby.",
]
STATED = f"{QUOTES[0]} [E1-1] {QUOTES[1]} [E1-2] {QUOTES[2]} [E1-3]"
LONGER = "The lithium cell therefore lasts longer than the sodium cell"
BUYERS = "Buyers who can live with fewer cycles may therefore prefer the sodium cell"
WRONG = "The sodium cell thus lasts 9,000 cycles"


@pytest.fixture
def cells(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """A folder with one document, and a model that plans one step and quotes all of it."""
    return quoted_whole(endpoint, tmp_path / "cells", "Sodium and lithium cells", QUOTES)


async def test_an_inference_is_shown_checked_and_stored_as_one(
    endpoint: OpenAIServer, cells: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [f"{STATED} {LONGER} [inferred: E1-1, E1-2]. {WRONG} [inferred: E1-1, E1-2]."]
    report = await aresearch(QUESTION, docs=[cells], out=tmp_path / "out", verify="code")
    assert [claim.status for claim in report.citations] == ["quoted", "quoted", "quoted", "inferred", "unverified"]
    assert f"{LONGER} [[1]]" in report.markdown
    assert re.findall(r"[†‡](?=[\s.])", report.markdown) == ["‡", "†"]
    assert " · 3 of 5 statements backed by quotes (3 quoted, 1 inferred ‡, 1 unverified †)*" in report.markdown
    assert standing(len(report.citations), sure_claims(report.citations), report.answered) == "some"
    folder = Path(report.folder or "")
    stored = json.loads((folder / "evidence.json").read_text("utf-8"))["claims"][3]
    assert (stored["status"], stored["verified"], stored["citations"]) == ("inferred", True, ["E1-1", "E1-2"])
    assert verify_bundle(folder).problems == []
    assert verify_markdown(folder / "report.md").problems == []
    names: list[OutputFormat] = ["md", "html", "slides"]
    for name, data in (await render(report, names)).items():
        assert "‡" in data.decode(), name
        assert 'class="badge all"' not in data.decode(), name


async def test_the_verifier_is_asked_whether_the_premises_bear_the_conclusion(
    endpoint: OpenAIServer, cells: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [
        f"{STATED} {QUOTES[2]} [E1-3] {QUOTES[0]} [E1-1] {LONGER} [⇒ E1-1, E1-2]. {BUYERS} [⇒ E1-1, E1-2]."
    ]
    endpoint.script["verifier"] = [verdicts((1, "follows", "6,100 cycles"), (2, "not_told", ""))]
    endpoint.script["reporter_editing"] = [json.dumps({"edits": []})]
    report = await aresearch(QUESTION, docs=[cells], out=tmp_path / "out")
    [message] = endpoint.asked("verifier")
    assert f'<statement number="1" cites="E1-1 E1-2" inferred="yes">\n{LONGER}.' in message
    judged = {claim.text: claim for claim in report.citations}
    assert judged[f"{LONGER}."].status == "inferred"
    assert judged[f"{BUYERS}."].status == "unverified"
    assert judged[f"{BUYERS}."].reason.startswith("A model found that this inference does not follow")
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_model_that_marks_everything_as_inference_is_asked_for_sentences_that_sources_state(
    endpoint: OpenAIServer, cells: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [f"{LONGER} [⇒ E1-1, E1-2]. {BUYERS} [⇒ E1-1, E1-2]."]
    report = await aresearch(QUESTION, docs=[cells], out=tmp_path / "out", verify="code")
    assert "reporter_sentences" in endpoint.roles
    assert all(claim.status != "inferred" for claim in report.citations)


async def test_inferences_that_fail_are_dropped_where_that_is_wanted(
    endpoint: OpenAIServer, cells: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [f"{STATED} {LONGER} [⇒ E1-1, E1-2]. {WRONG} [⇒ E1-1, E1-2]."]
    report = await aresearch(QUESTION, docs=[cells], out=tmp_path / "out", verify="code", unsupported="drop")
    assert [claim.status for claim in report.citations] == ["quoted", "quoted", "quoted", "inferred"]
    assert [claim.text for claim in report.left_out] == [f"{WRONG}."]
