"""Cards of sources in a whole run: prompts show them once a source, statements may rest on them, references and bundle have them."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from leadline import aresearch
from schemas.reporter import Report
from services.reports.bibliography import csl_json
from services.reports.bundle import verify_bundle
from services.reports.checking.cited_markdown import verify_markdown
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from services.reports.word import render_docx
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import filled

pytestmark = pytest.mark.long

LOCK = """PEP: 9703
Title: Making the Capstan Lock Optional in Sounding Machines
Author: Ada Holm <ada at example.org>
Status: Final
Created: 09-Jan-2023
Machine-Version: 3.13
Resolution: `24-Oct-2023 <https://example.org/t/3>`__

Abstract
========

The capstan lock prevents several men from turning the drum at the same time.

The proposal adds a build of the machine that lets several men turn the drum without the capstan lock.
"""
DRUMS = """PEP: 9684
Title: A Capstan Lock for Each Drum
Author: Ben Nares
Status: Accepted
Created: 2022/03/08

Abstract
========

Each drum of the machine gets a capstan lock of its own, so that drums turn side by side.
"""
QUOTES = [
    "The capstan lock prevents several men from turning the drum at the same time.",
    "The proposal adds a build of the machine that lets several men turn the drum without the capstan lock.",
    "Each drum of the machine gets a capstan lock of its own, so that drums turn side by side.",
]
RIGHT = [
    "PEP 9703 says that the capstan lock prevents several men from turning the drum at the same time [E1-1].",
    "Ada Holm proposes a build of the machine in which several men turn the drum without the capstan lock [E1-2].",
    "The proposal to let several men turn the drum without the capstan lock was accepted in October 2023 [E1-2].",
    "PEP 9684, which Ben Nares created on 8 March 2022, gives each drum of the machine a capstan lock of its own [E1-3].",
]
WRONG = [
    "PEP 9704 says that the capstan lock prevents several men from turning the drum [E1-1].",
    "The build of the machine without the capstan lock was accepted in June 2025 [E1-2].",
    "Ben Holm proposes a build of the machine in which several men turn the drum without the capstan lock [E1-2].",
]


async def test_the_card_of_a_source_is_in_prompts_proofs_references_and_bundle(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = filled(tmp_path / "peps", {"pep-9703.rst": LOCK, "pep-9684.rst": DRUMS})
    step = {"id": "1", "title": "Capstan lock", "description": "d", "queries": ["capstan lock drum machine"]}
    endpoint.script["planner"] = [json.dumps({"title": "Capstan lock", "steps": [step]})]
    endpoint.script["researcher"] = [quoting(*QUOTES)]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    endpoint.script["reporter"] = ["\n\n".join([*RIGHT, *WRONG])]
    question = "Who wants to do away with the capstan lock, and when?"
    report = await aresearch(question, docs=[folder], out=tmp_path / "out")
    prompts_show_it_once_a_source(endpoint, report)
    statements_about_the_source_hold_by_it_and_wrong_ones_do_not(report, Path(report.folder or ""))
    references_and_the_bundle_have_it(report, Path(report.folder or ""))


def prompts_show_it_once_a_source(endpoint: OpenAIServer, report: Report) -> None:
    assert report.sources
    for role in ("researcher", "reflector", "reporter"):
        text = endpoint.asked(role)[-1]
        named = "source" if role == "researcher" else "source title"
        assert f'{named}="PEP 9703 – Making the Capstan Lock Optional in Sounding Machines"' in text, role
        assert text.count("Ada Holm, created 2023-01-09, resolution 2023-10-24, Final, Machine 3.13") == 1, role
        assert text.count('about="Ben Nares, created 2022-03-08, Accepted"') == 1, role


def statements_about_the_source_hold_by_it_and_wrong_ones_do_not(report: Report, folder: Path) -> None:
    verified = {claim.text: claim.verified for claim in report.citations}
    assert [verified.get(_bare(text)) for text in RIGHT] == [True] * len(RIGHT)
    assert not [text for text in WRONG if verified.get(_bare(text))]
    assert verify_bundle(folder).problems == []
    assert verify_markdown(folder / "report.md").problems == []


def references_and_the_bundle_have_it(report: Report, folder: Path) -> None:
    [line] = [line for line in report.markdown.splitlines() if "PEP 9703 – Making" in line and "pep-9703.rst" in line]
    assert {"2023-01-09", "Ada Holm", "Final", "Machine 3.13"} <= set(line.partition(" — ")[2].split(" · "))
    kept = json.loads((folder / "evidence.json").read_text("utf-8"))
    cards = {source["card"]["name"]: source["card"] for source in kept["sources"]}
    assert cards["PEP 9703"]["dates"] == {"Created": "2023-01-09", "Resolution": "2023-10-24"}
    parsed = parse_report(report)
    page = render_html(parsed)
    assert "Ada Holm" in page
    assert "PEP 9703 – Making" in page
    with zipfile.ZipFile(BytesIO(render_docx(parsed))) as archive:
        assert "Ada Holm" in archive.read("word/document.xml").decode()
    items = csl_json(report).decode()
    assert "Holm" in items
    assert "2023" in items


def _bare(text: str) -> str:
    return text[: text.rindex(" [")] + "."
