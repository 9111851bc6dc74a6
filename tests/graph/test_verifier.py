"""The verifier: a model judges what code cannot settle, failing sentences are written anew once, and code keeps its veto."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from schemas.evidence import Claim
from schemas.reporter import Report
from services.reports.checking.bundle import verify_bundle
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.fakes.quoting import quoting

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
    return folder


def verdicts(*given: tuple[int, str, str]) -> str:
    """Answer as a verifier: number, verdict and decisive words of each sentence."""
    return json.dumps(
        {"verdicts": [{"number": n, "reason": "r", "verdict": verdict, "words": words} for n, verdict, words in given]}
    )


def rewriting(*given: tuple[int, str]) -> str:
    """Answer as a reporter that writes sentences anew."""
    return json.dumps({"sentences": [{"number": number, "text": text} for number, text in given]})


def asked(endpoint: OpenAIServer, role: str) -> list[str]:
    """Return the human messages that a role was sent."""
    return [body["messages"][-1]["content"] for body in endpoint.requests if role_of(body) == role]


def claims(report: Report) -> dict[str, Claim]:
    """Return the claims of a report by their first word."""
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
    [message] = asked(endpoint, "verifier")
    assert re.findall(r'<statement number="\d" cites="(.+?)">\n(.+)\n', message) == [
        ("E1-1", "Passengers of the line numbered 23,400 in 2021."),
        ("E1-3", "Winter weather shut a jetty for weeks."),
    ]
    assert QUOTES[1] in message  # beside the quotes that are cited
    said = claims(report)
    assert (said["Storms"].status, said["Storms"].judgement) == ("quoted", None)
    assert said["Winter"].status == "supported"
    assert said["Winter"].judgement is not None
    assert said["Winter"].judgement.words == "closed the northern pier for some weeks"
    assert report.prompts["verifier"] == 3
    assert report.usage.roles["verifier"].calls == 1
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_sentence_that_the_model_finds_contradicted_is_written_anew(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = ["The captain of the ferry retires at the end of the season [E1-2]."]
    endpoint.script["verifier"] = [
        verdicts((1, "contradicted", "may retire after the season")),
        verdicts((1, "supported", "may retire after the season")),
    ]
    endpoint.script["reporter_rewriting"] = [rewriting((1, "The captain of the ferry may retire [E1-2]."))]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out")
    assert "The captain of the ferry may retire [[1]]" in report.markdown
    assert "retires at the end" not in report.markdown
    assert [claim.status for claim in report.citations] == ["supported"]
    assert endpoint.roles[-3:] == ["verifier", "reporter_rewriting", "verifier"]
    assert {"reporter_rewriting", "verifier"} <= report.prompts.keys()
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_after_a_rewriting_only_what_is_new_is_judged(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = [
        "Winter weather shut a jetty for weeks [E1-3]. The captain of the ferry retires at the end of the season [E1-2]."
    ]
    endpoint.script["verifier"] = [
        verdicts((1, "supported", "words of no passage"), (2, "contradicted", "may retire after the season")),
        verdicts((1, "supported", "may retire after the season")),
    ]
    endpoint.script["reporter_rewriting"] = [rewriting((2, "The captain of the ferry may retire [E1-2]."))]
    await aresearch(QUESTION, docs=[ferry])
    first, second = asked(endpoint, "verifier")
    assert "Winter weather" in first
    assert "Winter weather" not in second


async def test_of_a_rewriting_only_one_sentence_is_taken(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = ["The captain of the ferry retires at the end of the season [E1-2]."]
    endpoint.script["verifier"] = [verdicts((1, "contradicted", "may retire after the season"))]
    anew = "Its captain, Ada Holm, may retire after the season. She measured the density of the air [E1-2]."
    endpoint.script["reporter_rewriting"] = [rewriting((1, anew))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert "may retire after the season" in report.markdown
    assert "density" not in report.markdown


async def test_what_still_fails_after_one_rewriting_is_marked_or_left_out(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = [
        "The captain retires [E1-2]. Passengers numbered 18,200 in 2021 [E1-1]. The pier was closed by storms [E1-3]."
    ]
    endpoint.script["verifier"] = [
        verdicts((1, "not_told", ""), (3, "supported", "Storms closed the northern pier")),
        verdicts((1, "partly", "may retire"), (2, "contradicted", "18,200 passengers in 2019")),
    ]
    endpoint.script["reporter_rewriting"] = [
        rewriting((1, "The captain is to retire soon [E1-2]."), (2, "In 2021 there were 18,200 passengers [E1-1]."))
    ]
    report = await aresearch(QUESTION, docs=[ferry])
    assert [(claim.text, claim.status) for claim in report.citations] == [
        ("The captain is to retire soon.", "unverified"),
        ("The pier was closed by storms.", "supported"),
    ]
    assert "only a part of it" in report.citations[0].reason
    assert "may retire" in report.citations[0].reason
    assert [claim.status for claim in report.left_out] == ["contradicted"]
    assert any("contradicts them: 1" in limit for limit in report.limits)
    assert endpoint.roles.count("reporter_rewriting") == 1


async def test_code_keeps_its_veto_on_numbers_and_names(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = [
        f"Passengers numbered 99,000 [E1-1]. Bruno Lind is the captain [E1-2]. {QUOTES[2]} [E1-3]"
    ]
    endpoint.script["verifier"] = [verdicts((1, "supported", "passengers"), (2, "supported", "captain"))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert asked(endpoint, "verifier") == []
    assert [claim.status for claim in report.citations] == ["unverified", "unverified", "quoted"]


async def test_a_verdict_without_words_of_a_cited_passage_counts_for_nothing(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["reporter"] = ["The northern pier was closed by storms [E1-3]."]
    endpoint.script["verifier"] = [verdicts((1, "contradicted", "the pier stayed open"), (7, "not_told", ""))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert [(claim.status, claim.judgement) for claim in report.citations] == [("supported", None)]


async def test_a_sentence_of_which_nothing_can_be_said_is_left_out(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = ["Passengers numbered 99,000 [E1-1]. The pier was closed by storms [E1-3]."]
    endpoint.script["reporter_rewriting"] = [rewriting((1, ""))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert "99,000" not in report.markdown
    assert [claim.text for claim in report.left_out] == ["Passengers numbered 99,000."]


@pytest.mark.parametrize(("choices", "calls"), [({"verify": "code"}, 0), ({}, 1), ({"verify": "model"}, 1)])
async def test_a_run_chooses_who_verifies(
    endpoint: OpenAIServer, ferry: Path, choices: dict[str, Any], calls: int
) -> None:
    endpoint.script["reporter"] = ["The northern pier was closed by storms [E1-3]."]
    await aresearch(QUESTION, docs=[ferry], **choices)
    assert endpoint.roles.count("verifier") == calls


async def test_a_quick_answer_is_checked_by_code(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = ["The northern pier was closed by storms [B0-1]."]
    await aresearch(QUESTION, docs=[ferry], deep_research=False)
    assert "verifier" not in endpoint.roles


async def test_a_verifier_that_fails_leaves_code_to_judge_and_the_report_says_so(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["reporter"] = ["The northern pier was closed by storms [E1-3]."]
    endpoint.script["verifier"] = [Reply(400, {"error": {"message": "no", "type": "invalid_request_error"}})] * 9
    report = await aresearch(QUESTION, docs=[ferry])
    assert [claim.status for claim in report.citations] == ["supported"]
    assert any("code alone judged the rest" in limit for limit in report.limits)


async def test_many_sentences_are_judged_in_batches(endpoint: OpenAIServer, ferry: Path) -> None:
    endpoint.script["reporter"] = [
        " ".join(f"The pier number {n} was closed by storms [E1-3]." for n in "abcdefghij" * 4)
    ]
    texts = " ".join(f"The pier {a}{b} was closed by storms [E1-3]." for a in "abcd" for b in "efghijklmn")
    endpoint.script["reporter"] = [texts]
    await aresearch(QUESTION, docs=[ferry])
    sizes = sorted(message.count("<statement ") for message in asked(endpoint, "verifier"))
    assert sizes == [10, 30]


async def test_a_verdict_saves_no_number_of_a_bundle_that_its_quotes_refute(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = ["Passengers of the line numbered 23,400 in 2021 [E1-1]."]
    (ferry / "ferry.md").write_text(f"# The ferry of Norland\n\n{QUOTES[0]}\n\n{RISE}\n")
    endpoint.script["researcher"] = [quoting(QUOTES[0], RISE)]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out", verify="code")
    file = Path(report.folder or "") / "evidence.json"
    content = json.loads(file.read_text())
    content["claims"][0] |= {
        "text": "The ferry line of Norland carried 18,200 passengers in 2021.",
        "judgement": {"verdict": "supported", "words": "carried 18,200 passengers in 2019"},
    }
    file.write_text(json.dumps(content))
    assert any("it is called verified" in problem for problem in verify_bundle(file.parent).problems)


async def test_the_header_lines_of_a_source_prove_its_number_and_dates_in_the_report_and_in_its_bundle(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    header = "PEP: 779\nTitle: Ferries\nCreated: 13-Mar-2025\nResolution: `16-Jun-2025 <https://example.org/1>`__"
    (ferry / "ferry.md").write_text(f"{header}\n\n{QUOTES[0]}\n\n{RISE}\n")
    endpoint.script["researcher"] = [quoting(QUOTES[0], RISE)]
    endpoint.script["reporter"] = [
        f"PEP 779, resolved on 16 June 2025, says that fares of the ferry rose sharply in spring [E1-2]. {QUOTES[0]} [E1-1]"
    ]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out", verify="code")
    assert [claim.status for claim in report.citations] == ["supported", "quoted"]
    assert verify_bundle(Path(report.folder or "")).problems == []
