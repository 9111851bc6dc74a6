"""The verifier judges what code cannot settle, and code decides what is certain."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from services.reports.bundle import verify_bundle
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting
from tests.graph.judging import QUESTION, QUOTES, claims, verdicts

RISE = "Fares of the ferry rose sharply in spring."


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
