"""An opening that cites nothing sums up the report, and is judged by the report's other statements."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from schemas.context import RunContext
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from services.reports.bundle_files import seal
from services.reports.bundle_judge import judge_bundle
from tests.fakes.openai_server import OpenAIServer
from tests.graph.judging import QUESTION, QUOTES, claims, editing, verdicts

TITLE = "Norland's ferry carries more passengers each year"
GROWTH = "Demand grows while the crew stays open."
FIGURE = "Passengers of the line numbered 23,400 in 2021."
SECTIONS = f"## Passengers\n\n{QUOTES[0]} [E1-1]\n\n## The captain\n\nAda Holm, its captain, might retire after the season [E1-2]."
BODY = (1, "supported", "may retire after the season")


async def researched(endpoint: OpenAIServer, folder: Path, opening: str, *verifier: str, out: Path) -> Report:
    endpoint.script["reporter"] = [f"# {TITLE}\n\n**TL;DR** {opening}\n\n{SECTIONS}"]
    endpoint.script["verifier"] = list(verifier)
    return await aresearch(QUESTION, docs=[folder], out=out)


async def test_it_is_judged_by_the_verified_statements_below_and_counts_as_supported(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    summary = verdicts(
        (1, "supported", "23,400 passengers"), (2, "supported", "might retire"), (3, "supported", "carried")
    )
    report = await researched(endpoint, ferry, f"{GROWTH}\n\n- {FIGURE}", verdicts(BODY), summary, out=tmp_path / "out")
    _, message = endpoint.asked("verifier")
    assert message.count("<passage ") == 1
    assert '<passage id="R1" source="the report itself">' in message
    assert f"<quote>\n{QUOTES[0]}\nAda Holm, its captain, might retire after the season.\n</quote>" in message
    assert all(f'cites="R1" uncited="yes">\n{text}\n' in message for text in (TITLE, GROWTH, FIGURE))
    said = claims(report)
    assert [(said[key].status, said[key].cited_by, said[key].citations) for key in ("Demand", "Passengers")] == [
        ("supported", "report", [])
    ] * 2
    assert report.answered == "yes"
    assert "†" not in report.markdown
    assert f"**TL;DR** {GROWTH}\n\n- {FIGURE}\n" in report.markdown
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize("mended", [True, False])
async def test_what_the_report_does_not_say_is_mended_or_marked(
    mended: bool, endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    edits = [("B2", "replace", f"**TL;DR** {GROWTH}")] if mended else []
    endpoint.script["reporter_editing"] = [editing(), editing(*edits)]
    wrong = f"{GROWTH} The fares of the line fell. The line carried 99,000 passengers."
    refused = verdicts((2, "supported", "carried"), (3, "not_told", ""))
    report = await researched(endpoint, ferry, wrong, verdicts(BODY), refused, out=tmp_path / "out")
    unused, message = endpoint.asked("reporter_editing")
    assert "<objection" not in unused
    assert "A model did not find it in what it cites." in message
    assert "Not in what it cites: 99,000." in message
    fares = "The fares of the line fell†. The line carried 99,000 passengers†."
    assert ("fares" in report.markdown, fares in report.markdown) == (not mended, not mended)
    assert report.answered == ("yes" if mended else "partly")
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_statement_that_fell_bears_no_opening(endpoint: OpenAIServer, ferry: Path, tmp_path: Path) -> None:
    fallen = verdicts((1, "not_told", ""))
    await researched(endpoint, ferry, GROWTH, fallen, verdicts((1, "supported", "carried")), out=tmp_path / "out")
    assert f"<quote>\n{QUOTES[0]}\n</quote>" in endpoint.asked("verifier")[1]


async def test_what_an_editor_mended_below_bears_the_opening(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    mended = "Ada Holm, its captain, may retire."
    endpoint.script["reporter_editing"] = [editing(("B6", "replace", f"{mended} [E1-2]"))]
    opening = "Its captain may retire while 23,400 passengers were carried."
    judged = verdicts((1, "partly", "may retire")), verdicts((1, "supported", "may retire"))
    summary = verdicts((1, "supported", "carried"), (2, "supported", "may retire"))
    report = await researched(endpoint, ferry, opening, *judged, summary, out=tmp_path / "out")
    assert f"<quote>\n{QUOTES[0]}\n{mended}\n</quote>" in endpoint.asked("verifier")[2]
    [message] = endpoint.asked("reporter_editing")
    assert message.count("<objection") == 1
    assert opening in report.markdown
    assert "†" not in report.markdown


async def test_a_stored_opening_is_judged_by_the_others_and_does_not_verify_once_it_is_changed(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    summary = verdicts((1, "supported", "carried"), (2, "supported", "23,400 passengers"))
    report = await researched(endpoint, ferry, FIGURE, verdicts(BODY), summary, out=tmp_path / "out")
    endpoint.script["verifier"] = [verdicts(BODY), verdicts((1, "not_told", ""))]
    judgement = await judge_bundle(Path(report.folder or ""), RunContext())
    assert f"<quote>\n{QUOTES[0]}\nAda Holm" in endpoint.asked("verifier")[-1]
    assert [claim.text for claim, _ in judgement.doubted.values()] == [FIGURE]
    path = Path(report.folder or "") / "evidence.json"
    bundle = json.loads(path.read_text("utf-8"))
    [claim] = [claim for claim in bundle["claims"] if claim.get("cited_by") == "report"]
    claim["text"] = claim["text"].replace("23,400", "23,800")
    bundle["evidence_sha256"] = seal(bundle)
    path.write_text(json.dumps(bundle), "utf-8")
    problems = "\n".join(verify_bundle(path.parent).problems)
    assert "it is called verified, but: Not in what it cites: 23,800" in problems
    assert "report.md does not say it" in problems
    bundle["claims"] += [{**claim, "cited_by": "code", "text": "x" * 19_000}] * 60
    path.write_text(json.dumps(bundle), "utf-8")
    assert "more than 1,000,000 characters" in "\n".join(verify_bundle(path.parent).problems)


@pytest.mark.parametrize(("lead", "status"), [("supported", "supported"), ("follows", "inferred")])
async def test_a_small_number_of_a_sentence_that_leads_its_paragraph_verifies_as_it_was_judged(
    lead: str, status: str, endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    leading = "As section 3 shows, the ferry has 2 troubles."
    endpoint.script["reporter"] = [f"{leading} {QUOTES[2]} [E1-3]\n\n{QUOTES[0]} [E1-1]"]
    endpoint.script["verifier"] = [verdicts((1, lead, "closed the northern pier"))]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out")
    said = claims(report)["As"]
    assert (said.status, said.cited_by, said.citations) == (status, "paragraph", ["E1-3"])
    assert verify_bundle(Path(report.folder or "")).problems == []
