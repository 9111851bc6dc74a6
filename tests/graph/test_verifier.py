"""The verifier judges what code cannot settle, the editor mends the draft by whole blocks, and code decides what is certain."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch, steer
from leadline.runs.revise import arevise
from schemas.evidence import Claim
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from services.run.errors import RevisionRefused
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import read_before

QUESTION = "How many passengers did the ferry line of Norland carry, and who is its captain?"
QUOTES = [
    "The ferry line of Norland carried 18,200 passengers in 2019 and 23,400 passengers in 2021.",
    "Its captain, Ada Holm, may retire after the season; the harbour office has named nobody yet.",
    "Storms closed the northern pier for some weeks of the winter.",
]
RISE = "Fares of the ferry rose sharply in spring."


@pytest.fixture
def ferry(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """A folder with one document, and a model that plans one step and quotes all of it."""
    return quoted_whole(endpoint, tmp_path / "ferry", "The ferry of Norland", QUOTES)


def quoted_whole(endpoint: OpenAIServer, folder: Path, title: str, quotes: Sequence[str]) -> Path:
    """Write one document, and script a model that plans one step and quotes all of it; return the folder."""
    folder.mkdir()
    (folder / f"{folder.name}.md").write_text(f"# {title}\n\n" + "\n\n".join(quotes) + "\n")
    step = {"id": "1", "title": title, "description": "d", "queries": [title]}
    endpoint.script["planner"] = [json.dumps({"title": title, "steps": [step]})]
    endpoint.script["researcher"] = [quoting(*quotes)]
    endpoint.script["reflector"] = [json.dumps({"has_enough_context": True})]
    return read_before(folder)


def verdicts(*given: tuple[int, str, str]) -> str:
    """Answer as a verifier: number, verdict and decisive words of each sentence."""
    return json.dumps(
        {"verdicts": [{"number": n, "reason": "r", "verdict": verdict, "words": words} for n, verdict, words in given]}
    )


def editing(*edits: tuple[str, str, str]) -> str:
    """Answer as an editor: block, action and text of each edit."""
    return json.dumps({"edits": [{"block": block, "action": action, "text": text} for block, action, text in edits]})


def claims(report: Report) -> dict[str, Claim]:
    return {claim.text.split()[0]: claim for claim in report.citations}


async def test_the_model_judges_what_code_neither_found_word_for_word_nor_refuted(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [
        f"{QUOTES[2]} [E1-3] Passengers of the line numbered 23,400 in 2021 [E1-1]. "
        "Winter weather shut a jetty for weeks [E1-3]."
    ]
    endpoint.script["verifier"] = [
        verdicts(
            (1, "supported", "23,400 passengers in 2021"), (2, "supported", "closed the northern pier for some weeks")
        )
    ]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out")
    [message] = endpoint.asked("verifier")
    assert re.findall(r'<statement number="\d" cites="(.+?)">\n(.+)\n', message) == [
        ("E1-1", "Passengers of the line numbered 23,400 in 2021."),
        ("E1-3", "Winter weather shut a jetty for weeks."),
    ]
    assert message.count(QUOTES[1]) == 1  # beside both quotes that are cited
    assert 'under="The ferry of Norland"' in message
    said = claims(report)
    assert (said["Storms"].status, said["Storms"].judgement) == ("quoted", None)
    assert said["Winter"].status == "supported"
    assert said["Winter"].judgement is not None
    assert said["Winter"].judgement.words == "closed the northern pier for some weeks"
    assert "verifier" in report.prompts
    assert report.usage.roles["verifier"].calls == 1
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_verifier_with_a_small_window_has_fewer_statements_at_a_time(
    endpoint: OpenAIServer, ferry: Path, monkeypatch: pytest.MonkeyPatch, environment: SetEnvironment
) -> None:
    monkeypatch.setattr("services.models.prompt_fit.LEAST_EVIDENCE", 0)
    environment(LEADLINE_CONTEXT_WINDOW_VERIFIER="2800")  # a hundred tokens besides the instructions
    endpoint.script["reporter"] = [
        "Passengers of the line numbered 23,400 in 2021 [E1-1]. Winter weather shut a jetty for weeks [E1-3]."
    ]
    endpoint.script["verifier"] = [verdicts((1, "supported", "23,400 passengers in 2021"))] * 2
    await aresearch(QUESTION, docs=[ferry])
    assert [message.count("<statement ") for message in endpoint.asked("verifier")] == [1, 1]


RETIRES = "The captain of the ferry retires at the end of the season [E1-2]."
MAY_RETIRE = "The captain of the ferry may retire [E1-2]."


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


async def test_the_verifier_decides_what_code_only_suspects(endpoint: OpenAIServer, ferry: Path) -> None:
    said = "In 2021 the ferry line carried 18,200 passengers"
    endpoint.script["reporter"] = [f"{said} [E1-1]."]
    endpoint.script["verifier"] = [verdicts((1, "supported", "carried 18,200 passengers"))]
    report = await aresearch(QUESTION, docs=[ferry])
    [message] = endpoint.asked("verifier")
    assert 'suspicion="What it cites gives 18,200 for another time.' in message
    assert [claim.status for claim in report.citations] == ["supported"]


async def test_code_decides_alone_what_is_certain(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = [f"Passengers numbered 99,000 [E1-1]. {QUOTES[2]} [E1-3]"]
    report = await aresearch(QUESTION, docs=[ferry])
    assert endpoint.asked("verifier") == []
    assert [claim.status for claim in report.citations] == ["unverified", "quoted"]


async def test_a_verdict_without_words_of_a_cited_passage_counts_for_nothing(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["reporter"] = ["The northern pier was closed by storms [E1-3]."]
    endpoint.script["verifier"] = [verdicts((1, "contradicted", "the pier stayed open"), (7, "not_told", ""))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert [(claim.status, claim.judgement) for claim in report.citations] == [("supported", None)]


async def test_a_run_chooses_who_verifies(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = ["The northern pier was closed by storms [E1-3]."]
    await aresearch(QUESTION, docs=[ferry], verify="code")
    assert "verifier" not in endpoint.roles


async def test_what_one_batch_judged_holds_where_another_fails(endpoint: OpenAIServer, ferry: Path) -> None:
    wrong = "The captain of the ferry retires at the end of the season"
    others = [f"The pier {a}{b} was closed by storms [E1-3]." for a in "abcdefgh" for b in "efghijklmn"]
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1]\n\n{wrong} [E1-2].\n\n{' '.join(others[:60])}"]

    def verify(body: dict[str, Any]) -> str | Reply:
        if wrong in body["messages"][-1]["content"]:
            return verdicts((1, "contradicted", "may retire after the season"))
        return Reply(400, {"error": {"message": "no", "type": "invalid_request_error"}})

    endpoint.choose = lambda body: verify(body) if role_of(body) == "verifier" else None
    report = await aresearch(QUESTION, docs=[ferry])
    assert endpoint.roles.count("verifier") > 1
    assert wrong not in report.markdown
    assert [claim.text for claim in report.left_out] == [f"{wrong}."]
    assert {claim.status for claim in report.citations} == {"quoted", "supported"}  # code judged the rest
    assert any("code alone judged the others" in limit for limit in report.limits)


@pytest.mark.parametrize(
    ("draft", "status"),
    [
        ("Winter weather shut a jetty for weeks. Astronomers discovered comets above Norway.", "unverified"),
        (
            "Winter weather shut a jetty for weeks [E7-7]. Astronomers discovered comets above Norway [E9-1].",
            "unverified",
        ),
        (
            "Weather shut a jetty [inferred: E1-2, E1-3]. Ferries need piers [inferred: E1-1, E1-3]. "
            "Captains mind storms [inferred: E1-2, E1-3]. Astronomers discovered comets above Norway [⇒].",
            "unverified",
        ),
    ],
    ids=["nothing cited", "ids that do not exist", "everything inferred"],
)
async def test_a_writer_that_cites_badly_leaves_no_unproved_statement_unmarked(
    endpoint: OpenAIServer, ferry: Path, draft: str, status: str
) -> None:
    endpoint.script["reporter"] = [f"# The ferry\n\n{QUOTES[2]} [E1-3]\n\n## More\n\n{draft}"]
    report = await aresearch(QUESTION, docs=[ferry])
    said = claims(report)
    assert said["Storms"].status == "quoted"
    assert said["Astronomers"].status == status
    assert said["Astronomers"].reason
    inferred = [claim for claim in report.citations if claim.status == "inferred"]
    assert len(inferred) <= len(report.citations) // 3


async def test_what_a_step_quotes_reaches_the_writer_once_though_the_background_search_found_it_too(
    ferry: Path, endpoint: OpenAIServer
) -> None:
    endpoint.script["researcher"] = [quoting(*QUOTES, finding="All is told.")]
    await aresearch(QUESTION, docs=[ferry])
    [written] = endpoint.asked("reporter")
    assert [written.count(quote) for quote in QUOTES] == [1, 1, 1]


async def test_planner_and_reflector_see_of_judged_steps_the_findings_and_excerpts_with_figures(
    ferry: Path, endpoint: OpenAIServer
) -> None:
    (ferry / "fares.md").write_text(f"# Fares\n\n{RISE}\n")
    steps = [{"id": one, "title": f"Ferry {one}", "description": "d", "queries": [f"ferry {one}"]} for one in "12"]
    endpoint.script["planner"] = [json.dumps({"title": "Ferry", "steps": [step]}) for step in steps]
    endpoint.script["researcher"] = [quoting(*QUOTES, finding="Two figures."), quoting(RISE, finding="Fares rose.")]
    missing = json.dumps(
        {"has_enough_context": False, "missing_aspects": ["the fares"], "follow_up_queries": ["fares rose"]}
    )
    endpoint.script["reflector"] = [missing, json.dumps({"has_enough_context": True})]
    await aresearch(QUESTION, docs=[ferry], max_plan_iterations=2)
    planned, judged = endpoint.asked("planner")[1], endpoint.asked("reflector")
    assert all(quote in judged[0] for quote in QUOTES)
    assert [quote in judged[1] for quote in QUOTES] == [True, False, False]
    assert "Two figures." in judged[1]
    assert RISE in judged[1]
    assert "Two figures." in planned
    assert "<gaps>\n<gap>the fares</gap>\n<query>fares rose</query>\n</gaps>" in planned
    assert not any(quote in planned for quote in QUOTES)


async def test_an_editor_sees_the_excerpts_nearest_to_what_the_check_objected_to(
    ferry: Path, endpoint: OpenAIServer
) -> None:
    endpoint.script["reporter"] = [f"{QUOTES[0]} [E1-1]\n\nStorms closed the northern pier in summer [E1-1]."]
    endpoint.script["verifier"] = [verdicts((1, "not_told", ""), (2, "not_told", ""))]
    await aresearch(QUESTION, docs=[ferry])
    [message] = endpoint.asked("reporter_editing")
    assert QUOTES[2] in message.partition("<unused>")[0]
    assert message.count(QUOTES[2]) == 1


@pytest.mark.parametrize(
    ("said", "asked_for"),
    [("Sturm schloss im Winter den nördlichen Pier für einige Wochen.", 1), (QUOTES[2], 0)],
    ids=["in other words", "verbatim"],
)
async def test_a_quick_answer_is_judged_only_where_code_does_not_find_it_proved(
    endpoint: OpenAIServer, ferry: Path, said: str, asked_for: int
) -> None:
    endpoint.script["reporter"] = [f"{said.rstrip('.')} [B0-1]."]
    endpoint.script["verifier"] = [verdicts((1, "supported", "closed the northern pier for some weeks"))]
    report = await aresearch("What closed the northern pier of Norland?", docs=[ferry], depth="quick")
    assert endpoint.roles.count("verifier") == asked_for
    assert [claim.verified for claim in report.citations] == [True]
    assert "†" not in report.markdown


async def test_rows_of_a_table_are_judged_below_its_head(endpoint: OpenAIServer, ferry: Path, tmp_path: Path) -> None:
    (ferry / "fares.csv").write_text("ferry,fare of Norland\nHeron,12\nTern,14\n")
    endpoint.script["researcher"] = [quoting("| Heron | 12 |", QUOTES[0])]
    endpoint.script["reporter"] = ["A trip on the Heron costs 12 [E1-1]."]
    endpoint.script["verifier"] = [verdicts((1, "supported", "Heron | 12"))]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out")
    assert 'columns="| ferry | fare of Norland |"' in endpoint.asked("verifier")[0]
    assert [claim.status for claim in report.citations] == ["supported"]


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
    assert re.findall("<omitted .*", message) == [f'<omitted statement="{said}">may retire</omitted>']
    assert message.count("<objection") == (verdict == "partly")
    assert [claim.status for claim in report.citations] == ["supported", "supported"]
