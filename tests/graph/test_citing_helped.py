"""A model that cites badly gets help: other forms are read, code cites what it can, and a report that proves nothing is not the last word."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from tests.fakes.openai_server import OpenAIServer, role_of
from tests.graph.judging import quoted_whole

QUESTION = "How many passengers did the ferry line of Norland carry, and who is its captain?"
QUOTES = [
    "The ferry line of Norland carried 18,200 passengers in 2019 and 23,400 passengers in 2021.",
    "Its captain, Ada Holm, took over the ferry from her father in 1998.",
    "Storms closed the northern pier for some weeks of the winter.",
]
ENGLISH = [
    "In 2021 the line carried 23,400 passengers.",
    "Captain Ada Holm took over from her father in 1998.",
    "The northern pier was closed by storms for some weeks.",
]
CHINESE_QUESTION = "诺兰轮渡线2019年和2021年各运送了多少旅客，它的船长是谁？"
CHINESE_QUOTES = [
    "诺兰轮渡线2019年运送旅客1.82万人次，2021年运送旅客2.34万人次。",
    "船长何安达于1998年从父亲手中接过这条渡船。",
    "风暴使北码头在冬季关闭了数周。",
]
CHINESE = ["诺兰轮渡线2021年运送旅客2.34万人次。", "何安达在1998年从父亲手中接过渡船。", "风暴使北码头关闭了数周。"]
EMPTY = "Ferries are popular with tourists everywhere. Many harbours have been modernised lately."


@pytest.fixture
def ferry(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """English documents."""
    return quoted_whole(endpoint, tmp_path / "ferry", "The ferry", QUOTES)


def cited(report: Report) -> list[tuple[list[str], str | None, bool]]:
    """Return what each statement cites, who cited it, and whether it is verified."""
    return [(claim.citations, claim.cited_by, claim.verified) for claim in report.citations]


def sentences(*given: tuple[int, str]) -> str:
    """Answer as a reporter that writes one sentence a passage."""
    return json.dumps({"sentences": [{"number": number, "sentence": text} for number, text in given]})


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_code_cites_what_a_report_without_citations_or_with_numbers_says(
    endpoint: OpenAIServer, tmp_path: Path, language: str
) -> None:
    question, quotes, said = {"en": (QUESTION, QUOTES, ENGLISH), "zh": (CHINESE_QUESTION, CHINESE_QUOTES, CHINESE)}[
        language
    ]
    docs = quoted_whole(endpoint, tmp_path / "docs", "The ferry", quotes)
    invented = {"en": "Nobody else sails to the outer islands.", "zh": "没有其他人航行到外岛。"}[language]
    by_number = [f"{text[:-1]} [{number}]{text[-1]}" for number, text in enumerate(said, 1)]
    endpoint.script["reporter"] = ["\n\n".join([*by_number, invented])]
    report = await aresearch(question, docs=[docs], out=tmp_path / "out", verify="code", locale=language)
    assert cited(report) == [([f"E1-{number}"], "code", True) for number in (1, 2, 3)] + [([], None, False)]
    assert any(
        ("which code added: 3" if language == "en" else "由程序补上的句子：3") in limit for limit in report.limits
    )
    folder = Path(report.folder or "")
    assert verify_bundle(folder).problems == []
    claims = json.loads((folder / "evidence.json").read_text())["claims"]
    assert [claim.get("cited_by") for claim in claims] == ["code", "code", "code", None]
    assert "cited_by" not in claims[3]


async def test_a_report_that_proves_nothing_is_asked_for_again_as_one_sentence_an_excerpt(
    endpoint: OpenAIServer, ferry: Path, tmp_path: Path
) -> None:
    endpoint.script["reporter"] = [EMPTY]
    endpoint.script["reporter_sentences"] = [
        sentences((1, f"{ENGLISH[0]} [7]"), (3, ENGLISH[2]), (9, "There is no such passage."), (2, ""))
    ]
    report = await aresearch(QUESTION, docs=[ferry], out=tmp_path / "out", verify="code")
    assert cited(report) == [(["E1-1"], None, True), (["E1-3"], None, True)]
    assert "popular with tourists" not in report.markdown
    assert "one sentence per quote" in report.markdown
    assert report.prompts["reporter_sentences"] == 3
    assert endpoint.roles.count("reporter_sentences") == 1
    [asked] = [body for body in endpoint.requests if role_of(body) == "reporter_sentences"]
    assert QUOTES[1] in asked["messages"][-1]["content"]
    assert "E1-2" not in asked["messages"][-1]["content"]
    assert verify_bundle(Path(report.folder or "")).problems == []
    assert (await areplay(report.run_id, out=tmp_path / "again")).markdown == report.markdown


async def test_no_model_checks_a_report_without_citations_of_which_code_proves_little(
    endpoint: OpenAIServer, ferry: Path
) -> None:
    endpoint.script["reporter"] = [f"{QUOTES[2]} Islands are small, and tourists love them."]
    endpoint.script["reporter_sentences"] = [sentences((1, QUOTES[0]), (2, QUOTES[1]))]
    report = await aresearch(QUESTION, docs=[ferry])
    assert "supported too little of the model's first draft" in report.markdown
    assert cited(report) == [(["E1-1"], None, True), (["E1-2"], None, True)]
    assert not {"verifier", "reporter_editing"} & {*endpoint.roles}


@pytest.mark.parametrize("locale", ["en", "zh"])
async def test_where_nothing_is_proven_again_the_extractive_report_stands_in_and_says_so(
    endpoint: OpenAIServer, ferry: Path, locale: str
) -> None:
    endpoint.script["reporter"] = [EMPTY]
    endpoint.script["reporter_sentences"] = [
        sentences((1, "Tourists love islands everywhere."), (2, "Harbours have been modernised lately."))
    ]
    report = await aresearch(QUESTION, docs=[ferry], verify="code", locale=locale)
    assert report.citations
    assert all(claim.verified for claim in report.citations)
    assert "23,400 passengers" in report.markdown
    assert {"en": "no sentence that the evidence supports", "zh": "没有写出任何得到证据支持的句子"}[
        locale
    ] in report.markdown
    assert endpoint.roles.count("reporter_sentences") == 1


@pytest.mark.parametrize("text", [f"{QUOTES[2]} [E1-3] {EMPTY}", "The sources do not say who built the ferry."])
async def test_a_report_that_proves_something_or_admits_that_it_cannot_is_not_asked_for_again(
    endpoint: OpenAIServer, ferry: Path, text: str
) -> None:
    endpoint.script["reporter"] = [text]
    await aresearch(QUESTION, docs=[ferry], verify="code")
    assert "reporter_sentences" not in endpoint.roles
