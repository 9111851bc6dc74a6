"""The depth benchmark: gold evidence by stage, repeated sentences, halves, and a small measurement from end to end."""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import depth
from benchmarks.depth import STAGES, Question, questions_of
from benchmarks.depth_run import Left, figures_of, stands_in
from benchmarks.measurement import Impossible
from leadline.evaluation.measures import letters, repeated
from schemas.evidence import Claim, Excerpt, Passage, Source
from schemas.reporter import Report

KEEPERS = {
    "oil": (
        "Oil of the Varnholm lamp",
        "The Varnholm lighthouse burned rape oil until 1871. Its keepers trimmed wicks.",
    ),
    "lens": (
        "Lens of Varnholm",
        "The Varnholm lighthouse got a lens of the third order. It was seen for eighteen miles.",
    ),
    "bell": ("Fog bell", "In fog the keepers of Varnholm lighthouse rang a bell twice a minute."),
    "bread": ("Bread of the valley", "Rye bread is baked in the valley every other Saturday."),
    "sheep": ("Sheep", "Sheep graze on the dunes from May until October."),
}
QUESTIONS: list[dict[str, Any]] = [
    {
        "qid": "q1",
        "question": "What oil did the Varnholm lighthouse burn?",
        "gold_ids": ["oil"],
        "criteria": [{"criterion": "names the oil", "weight": 0.6, "gold_ids": ["oil"]}],
    },
    {"qid": "q2", "question": "How far was the Varnholm lighthouse seen with its lens?", "gold_ids": ["lens", "sheep"]},
    {
        "qid": "q3",
        "question": "How often did the keepers of Varnholm lighthouse ring the fog bell?",
        "gold_ids": ["bell"],
    },
]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write gzipped JSON lines."""
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder with one set over a small corpus."""
    folder = tmp_path / "data"
    folder.mkdir()
    corpus = [{"doc_id": name, "title": title, "text": text} for name, (title, text) in KEEPERS.items()]
    write_rows(folder / "scholarqa_cs_corpus.jsonl.gz", corpus)
    write_rows(folder / "scholarqa_cs_questions.jsonl.gz", QUESTIONS)
    return folder


def asked(data: str | Path, **more: Any) -> argparse.Namespace:
    """Return what the command line asks for."""
    given = {"set": ["scholarqa_cs"], "depth": ["standard"], "half": "all", "questions": None, "rows": False, "jobs": 1}
    return argparse.Namespace(data=str(data), **(given | more))


def test_shares_are_of_the_gold_documents_and_criteria_count_by_their_weights() -> None:
    question = Question("q", "?", frozenset({"a", "b"}), ((0.3, frozenset({"a"})), (0.1, frozenset({"b"}))))
    documents = {**dict.fromkeys(STAGES, ("a", "b", "x")), "quoted": ("b", "x"), "cited": ("a",)}
    shares = question.shares(documents)
    assert (shares["found"], shares["quoted"], shares["cited"]) == (1, 0.5, 0.5)
    assert shares["criteria_cited"] == pytest.approx(0.75)


def test_the_halves_share_no_question_and_leave_none_out(data: Path) -> None:
    first, second = (questions_of(data, "scholarqa_cs", half) for half in ("first", "second"))
    assert [question.id for question in (*first, *second)] == ["q1", "q2", "q3"]
    assert [question.id for question in questions_of(data, "scholarqa_cs", "first", 1)] == ["q1"]


def test_a_passage_is_known_in_a_prompt_that_numbers_its_sentences() -> None:
    text = "The lamp burned rape oil until 1871. Its keepers trimmed the wicks.\nSo they did."
    assert stands_in(text, letters("P3:1 The lamp burned rape oil\nuntil 1871.\nP3:2 Its keepers …"))
    assert not stands_in(text, letters("Its wicks burned rape oil. So they did."))


def test_sentences_are_repeated_within_prose_or_within_quotations_only() -> None:
    said = "The lamp burned rape oil for years."
    assert repeated([("prose", f"{said} It was dim."), ("quotation", said)]) == 0
    assert repeated([("prose", said), ("prose", f"First: yes. {said}"), ("quotation", said), ("quotation", said)]) == 2


def test_each_stage_names_the_documents_that_came_so_far(tmp_path: Path) -> None:
    texts = {name: text for name, (_, text) in KEEPERS.items()}
    sources = {
        name: Source(url=f"corpus/{name}.md", title=name, kind="document", content_hash=name, number=number)
        for number, name in enumerate(texts, 1)
    }
    excerpts = [
        Excerpt(id=f"E1-{number}", content_hash=name, quote=texts[name], start=0, end=len(texts[name]))
        for number, name in enumerate(("oil", "lens", "bell"), 1)
    ]
    passages = [
        Passage(id=f"P{number}", content_hash=name, title=name, start=0, end=len(text), text=text)
        for number, (name, text) in enumerate(texts.items(), 1)
    ]
    report = Report(
        title="Varnholm",
        markdown=f"# Varnholm\n\n{texts['oil']} [1]\n",
        sources=list(sources.values()),
        excerpts=excerpts,
        citations=[Claim(text=texts["oil"], citations=["E1-1"], verified=True, status="quoted")],
    )
    for role, shown in {"researcher": ("bread", "bell"), "reporter": ("oil", "lens")}.items():
        (tmp_path / f"0001-{role}.request.md").write_text("\n".join(texts[name] for name in shown))
    figures = figures_of(report, Left(passages, excerpts, sources), tmp_path)
    assert figures["documents"] == {
        "found": ["bell", "bread", "lens", "oil", "sheep"],
        "read": ["bell", "bread", "lens", "oil"],
        "quoted": ["bell", "lens", "oil"],
        "shown_to_writer": ["lens", "oil"],
        "cited": ["oil"],
    }
    assert (figures["sources_read"], figures["sources_cited"], figures["supported_sentences"]) == (4, 1, 1)


def test_what_cannot_be_measured_is_said_before_anything_is(data: Path) -> None:
    with pytest.raises(Impossible, match=r"does not hold deepscholar_corpus\.jsonl\.gz"):
        depth.run(asked(data, set=["deepscholar"]), data / "results.json", data / "work")
    assert not (data / "work").exists()


def test_the_command_without_data_ends_with_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["depth", ""])
    with pytest.raises(SystemExit, match="The data folder is missing") as ended:
        depth.main()
    assert ended.value.code != 0
    assert capsys.readouterr().err == ""


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_measurement_follows_the_gold_evidence_from_the_search_to_the_report(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(depth.EMBEDDINGS, "none")
    results, work = tmp_path / "results.json", tmp_path / "bench"
    depth.run(asked(data, half="first", questions=2, rows=True, jobs=2), results, work)
    figures = json.loads(results.read_text("utf-8"))["scholarqa_cs"]["first, first 2"]["standard"]
    assert set(figures["rows"]) == {"q1", "q2"}
    assert figures["rows"]["q1"]["found"] == figures["rows"]["q1"]["quoted"] == figures["rows"]["q1"]["cited"] == 1
    assert figures["rows"]["q1"]["criteria_cited"] == 1
    for row in figures["rows"].values():
        assert row["found"] >= row["read"] >= row["cited"]
    for name in ("words", "model_calls", "processor_seconds", "peak_megabytes"):
        assert figures[name] > 0
    assert figures["machine"]["embedding"] == []
    assert "standard" in capsys.readouterr().out
