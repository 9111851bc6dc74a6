"""The editor mends what the verifier refutes or finds cut short, and what stays refuted is left out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch, steer
from leadline.runs.revise import arevise
from services.reports.bundle import verify_bundle
from services.run.errors import RevisionRefused
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.quoting import quoting
from tests.graph.judging import MAY_RETIRE, QUESTION, QUOTES, RETIRES, editing, quoted_whole, verdicts


async def test_a_statement_that_the_verifier_refutes_is_mended_by_the_editor(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [RETIRES]
    endpoint.script["verifier"] = [
        verdicts((1, "contradicted", "may retire after the season")),
        verdicts((1, "supported", "may retire after the season")),
    ]
    endpoint.script["reporter_editing"] = [editing(("B1", "replace", MAY_RETIRE))]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out")
    assert "The captain of the ferry may retire [[1]]" in report.markdown
    assert "retires at the end" not in report.markdown
    assert [claim.status for claim in report.citations] == ["supported"]
    assert endpoint.roles[-3:] == ["verifier", "reporter_editing", "verifier"]
    assert {"reporter_editing", "verifier"} <= report.prompts.keys()
    [message] = endpoint.asked("reporter_editing")
    assert f'<block id="B1">\n{RETIRES}\n' in message
    assert "contradicts it: “may retire after the season”" in message
    assert verify_bundle(Path(report.folder or "")).problems == []


@pytest.mark.parametrize(
    "answer",
    [
        editing(("B9", "replace", MAY_RETIRE), ("B1", "drop", "")),
        "no JSON",
    ],
)
async def test_where_the_editor_mends_nothing_the_draft_stands(
    endpoint: OpenAIServer, ferry: Path, answer: str
) -> None:
    endpoint.script["reporter"] = [f"{QUOTES[2]} [E1-3] The captain of the ferry lives in town [E1-2]."]
    endpoint.script["verifier"] = [verdicts((1, "not_told", ""))]
    endpoint.script["reporter_editing"] = [answer] * 3
    report = await aresearch(QUESTION, docs=[ferry])
    assert [(claim.text, claim.status) for claim in report.citations] == [
        (QUOTES[2], "quoted"),
        ("The captain of the ferry lives in town.", "unverified"),
    ]


async def test_what_stays_refuted_after_the_edit_is_left_out(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = [f"{RETIRES} The pier was closed by storms [E1-3]."]
    endpoint.script["verifier"] = [
        verdicts((1, "contradicted", "may retire after the season"), (2, "supported", "closed the northern pier"))
    ]
    endpoint.script["reporter_editing"] = [editing()]
    report = await aresearch(QUESTION, docs=[ferry])
    assert [claim.text for claim in report.citations] == ["The pier was closed by storms."]
    assert [claim.status for claim in report.left_out] == ["contradicted"]
    assert any("citations contradict them: 1" in limit for limit in report.limits)


async def test_an_editor_sees_the_excerpts_nearest_to_what_the_check_objected_to(
    ferry: Path, endpoint: OpenAIServer
) -> None:
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1]\n\nStorms closed the northern pier in summer [E1-1]."]
    endpoint.script["verifier"] = [verdicts((1, "not_told", ""), (2, "not_told", ""))]
    await aresearch(QUESTION, docs=[ferry])
    [message] = endpoint.asked("reporter_editing")
    assert QUOTES[2] in message.partition("<unused>")[0]
    assert message.count(QUOTES[2]) == 1


async def test_an_editor_sees_what_the_sources_that_a_statement_cites_say_of_it(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    kept = "A gale kept every boat in port all summer, and nobody could land."
    storms = [
        "Storms closed the northern pier in summer.",
        "In summer storms closed the old northern pier, said the harbour office.",
        "The northern pier, built of oak, was closed in summer by storms from the west.",
        "Storms of the summer closed ferries out of the northern pier, and fishermen too.",
    ]
    folder = quoted_whole(endpoint, tmp_path / "ferry", "Ferry", [QUOTES[0], "It rained. " * 60, kept])
    (folder / "storms.md").write_text("# Storms\n\n" + "\n\n".join(storms) + "\n")
    endpoint.script["researcher"] = [quoting(QUOTES[0], kept, *storms)]
    endpoint.script["reporter"] = ["Storms closed the northern pier in summer [E1-1]."]
    endpoint.script["verifier"] = [verdicts((1, "not_told", ""))]
    await aresearch(f"{QUESTION} When did storms close the northern pier in summer?", docs=[folder])
    [message] = endpoint.asked("reporter_editing")
    assert kept in message.partition("<unused>")[0]


async def test_editors_see_what_was_said_to_the_run_behind_the_question(endpoint: OpenAIServer, ferry: Path) -> None:
    def steer_once(_: int, role: str, __: dict[str, Any]) -> None:
        if endpoint.roles.count("planner") == 1 and role == "planner":
            steer("only the captain")

    endpoint.fault = steer_once
    endpoint.script |= {"planner": endpoint.script["planner"] * 2, "reporter": [RETIRES]}
    endpoint.script["reporter_editing"] = [editing(("B1", "replace", MAY_RETIRE)), editing(), editing()]
    report = await aresearch(QUESTION, docs=[ferry])
    with pytest.raises(RevisionRefused):
        await arevise(report.run_id, "Name the ship")
    messages = endpoint.asked("reporter_editing")
    assert len(messages) > 1
    assert all(f"<question>\n{QUESTION} — only the captain\n</question>" in message for message in messages)


@pytest.mark.parametrize("verdict", ["partly", "supported"])
async def test_an_editor_is_told_what_a_statement_leaves_out(endpoint: OpenAIServer, ferry: Path, verdict: str) -> None:
    endpoint.script["reporter"] = [f"{RETIRES}\n\nWinter weather shut a jetty for weeks [E1-3]."]
    judged = {"reason": "r", "verdict": verdict, "words": "retire after the season"}
    other = {"reason": "r", "verdict": "supported", "words": "closed the northern pier"}
    endpoint.script["verifier"] = [
        json.dumps(
            {
                "verdicts": [
                    {"number": 1, "omitted": "may retire", **judged},
                    {"number": 2, "omitted": "words of no passage", **other},
                ]
            }
        ),
        verdicts((1, "supported", "may retire after the season")),
    ]
    endpoint.script["reporter_editing"] = [editing(("B1", "replace", MAY_RETIRE))]
    report = await aresearch(QUESTION, docs=[ferry])
    [message] = endpoint.asked("reporter_editing")
    said = RETIRES.replace(" [E1-2]", "")
    assert re.findall("<omitted .*", message) == [
        f'<omitted statement="{said}" words="may retire">{QUOTES[1]}</omitted>'
    ]
    assert message.count("<objection") == (verdict == "partly")
    assert [claim.status for claim in report.citations] == ["supported", "supported"]
