"""Comparing prompts on a question set: what each finds, what it costs, and clear words where a comparison is impossible."""

import json
from pathlib import Path

import pytest

from leadline.batch.question_sets import Question, documents_beside, read_questions
from leadline.evaluation.compare import Total, compare, missing_evidence, table, variants_of
from prompts import template_source
from schemas.evidence import Excerpt, Source
from schemas.reporter import Report
from services.run.errors import BadInput
from services.run.settings import settings
from tests.conftest import EXAMPLES
from tests.fakes.http import Reply
from tests.fakes.openai_server import openai_server
from tests.leadline.conftest import Leadline

BORN = {
    "id": "born",
    "question": "Where was the designer of the wire sounding machine born?",
    "facts": [["Belfast"]],
    "documents": ["machine.md", "thomson.md"],
}
TALLOW = {"id": "tallow", "question": "Why was tallow pressed into the lead?", "facts": [["sample of the bottom"]]}
FRONT = '---\nversion: 2\nchangelog: ["1: first version", "2: for a test"]\n---\n'


@pytest.fixture
def questions(docs: Path) -> Path:
    """Return a question set about the folder `papers` beside it."""
    file = docs.with_name("papers.questions.json")
    file.write_text(json.dumps([BORN, TALLOW]))
    return file


@pytest.fixture
def blinkered(tmp_path: Path) -> Path:
    """Return prompts that show the researcher one passage only, and the reporter no background."""
    folder = tmp_path / "blinkered"
    folder.mkdir()
    seeing = template_source("researcher")
    assert " in passages " in seeing
    (folder / "researcher.md").write_text(FRONT + seeing.replace(" in passages ", " in passages[:1] "))
    writing = template_source("reporter")
    assert "{% if background %}" in writing
    (folder / "reporter.md").write_text(FRONT + writing.replace("{% if background %}", "{% if false %}"))
    return folder


async def test_prompts_that_hide_evidence_find_less(
    questions: Path, docs: Path, blinkered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variants = variants_of([blinkered], [])
    with openai_server() as server:  # which answers from what the prompts show
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        settings.cache_clear()
        seeing, blind = await compare(read_questions(questions), variants, [docs], max_plan_iterations=1)
    assert (seeing.name, blind.name) == ("built-in", str(blinkered))
    assert seeing.evidence_recall == 1.0
    assert blind.evidence_recall is not None
    assert blind.evidence_recall < 1.0
    assert "Belfast" in blind.outcomes[0].missing
    assert "born: 3 of 3 against" in table([seeing, blind])


async def test_calls_tokens_and_claims_are_those_of_the_reports(questions: Path, docs: Path, blinkered: Path) -> None:
    [total, _] = await compare(read_questions(questions), variants_of([blinkered], []), [docs])
    assert total.calls == sum(outcome.calls for outcome in total.outcomes) >= 2
    assert total.input_tokens > total.output_tokens > 0
    assert total.verified_share == 1.0
    assert total.cost == 0.0
    assert all(outcome.run_id for outcome in total.outcomes)


async def test_each_variant_sends_its_own_prompts(
    questions: Path, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shouting"
    folder.mkdir()
    (folder / "reporter.md").write_text(
        FRONT + template_source("reporter").replace("{% block system %}\n", "{% block system %}\nSHOUT.\n")
    )
    with openai_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        settings.cache_clear()
        await compare(read_questions(questions)[:1], variants_of([folder], []), [docs])
    systems = [request["messages"][0]["content"] for request in server.requests]
    wrote = [text for text, role in zip(systems, server.roles, strict=True) if role == "reporter"]
    assert [text.startswith("SHOUT.") for text in wrote] == [False, True]


async def test_a_question_that_fails_is_named_and_the_rest_goes_on(
    questions: Path, docs: Path, blinkered: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = {"error": {"message": "no such model", "type": "x", "param": None, "code": "model_not_found"}}
    with openai_server() as server:
        server.script["coordinator"] = [Reply(404, refusal)]
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        settings.cache_clear()
        first, second = await compare(read_questions(questions), variants_of([blinkered], []), [docs])
    assert (first.failed, second.failed) == (1, 0)
    assert "LEADLINE_MODEL" in first.outcomes[0].error
    assert first.outcomes[0].missing == ["Belfast", "machine.md", "thomson.md"]
    assert first.outcomes[1].found == 1


async def test_what_a_variant_chooses_wins_over_what_all_runs_choose(questions: Path, docs: Path) -> None:
    variants = variants_of([], [], ["quick", "standard"])
    quick, standard = await compare(read_questions(questions)[:1], variants, [docs], depth="standard")
    assert (quick.name, quick.failed, standard.failed) == ("quick", 0, 0)
    assert quick.calls < standard.calls


def test_a_copy_counts_as_the_document_that_it_copies() -> None:
    about = {"title": "", "kind": "document"}
    sources = [
        Source(content_hash="a", url="papers/original.md", **about),
        Source(content_hash="b", url="papers/copy.md", duplicate_of="a", **about),
        Source(content_hash="c", url="papers/unquoted.md", **about),
    ]
    quote = Excerpt(id="E1-1", content_hash="a", quote="It was 10,984 m deep.", start=0, end=21)
    report = Report(title="", markdown="", sources=sources, excerpts=[quote])
    question = Question(
        id="q",
        question="?",
        facts=[["10984", "10,984 M"], ["10,994"]],
        documents=["copy.md", "original.md", "unquoted.md"],
    )
    assert missing_evidence(question, report) == ["10,994", "unquoted.md"]


def test_the_table_says_what_is_not_known() -> None:
    nothing = Total(
        name="a|b",
        evidence_recall=None,
        verified_share=None,
        calls=0,
        input_tokens=0,
        output_tokens=0,
        cost=None,
        seconds=0,
        failed=0,
        outcomes=[],
    )
    lines = table([nothing, nothing.model_copy(update={"name": "c", "cost": 0.25})]).splitlines()
    assert "a\\|b" in lines[0]
    assert [cell.strip() for cell in next(line for line in lines if "cost" in line).split("|")[2:4]] == [
        "unknown",
        "0.2500",
    ]
    assert len({len(line) for line in lines}) == 1


def test_a_chinese_set_is_compared_in_chinese(leadline: Leadline, questions: Path) -> None:
    questions.write_text(json.dumps([{"id": "tallow", "question": "为什么在铅锤里填牛脂？", "facts": [["sample"]]}]))
    ran = leadline("compare", questions, "--depth", "quick", "--depth", "standard")
    assert ran.code == 0, ran.err
    assert "| 证据召回率" in ran.out
    assert "1/2 tallow，quick：" in ran.err


def test_the_example_sets_can_be_read_and_have_their_folders() -> None:
    for name in ("deep-sea", "myopia"):
        file = EXAMPLES / f"{name}.questions.json"
        assert read_questions(file)
        assert documents_beside(file) == [EXAMPLES / name]


def test_the_command_prints_a_table_or_json(leadline: Leadline, questions: Path, blinkered: Path) -> None:
    ran = leadline("compare", questions, "--prompts", blinkered, "--prompts", blinkered.parent / "blinkered")
    assert ran.code == 0
    assert "built-in" in ran.out
    assert "| evidence recall" in ran.out
    assert "tallow" in ran.err
    ran = leadline("compare", questions, "--prompts", blinkered, "--json")
    built_in, _ = json.loads(ran.out)
    assert [one["question"] for one in built_in["outcomes"]] == ["born", "tallow"]


BAD_INPUT = {
    "neither prompts nor models": ([], "--prompts A --prompts B"),
    "both": (["--prompts", "blinkered", "--model", "m"], "--prompts A --prompts B"),
    "one model": (["--model", "m"], "second --model"),
    "a missing prompts folder": (["--prompts", "nowhere"], "does not exist"),
    "a missing documents folder": (["--prompts", "blinkered", "--docs", "nowhere"], "does not exist"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
def test_an_impossible_comparison_says_so(
    leadline: Leadline, questions: Path, blinkered: Path, arguments: list[str], message: str
) -> None:
    given = [str(blinkered) if one == "blinkered" else one for one in arguments]
    ran = leadline("compare", questions, *given)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no valid JSON"), ("[]", "empty list"), ('[{"id": "x"}]', "0.question"), ("{}", "A list of objects")],
)
def test_a_question_set_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.questions.json"
    file.write_text(text)
    with pytest.raises(BadInput, match=message):
        read_questions(file)


def test_questions_about_no_folder_ask_for_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--docs"):
        documents_beside(tmp_path / "x.questions.json")
