"""The depth benchmark: halves of a set, and a small measurement from end to end."""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import depth
from benchmarks.depth import questions_of
from benchmarks.measurement import Impossible

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
    {
        "qid": "q2",
        "question": "How far was the Varnholm lighthouse seen with its lens?",
        "gold_ids": ["lens", "sheep"],
        "answers": ["18 miles", "eighteen miles"],
    },
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
    given = {"set": ["scholarqa_cs"], "depth": ["standard"], "half": "all", "questions": None, "jobs": 1}
    return argparse.Namespace(data=str(data), **(given | more))


def test_the_halves_share_no_question_and_leave_none_out(data: Path) -> None:
    first, second = (questions_of(data, "scholarqa_cs", half) for half in ("first", "second"))
    assert [question.id for question in (*first, *second)] == ["q1", "q2", "q3"]
    assert [question.id for question in questions_of(data, "scholarqa_cs", "first", 1)] == ["q1"]


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
    monkeypatch.setenv("LEADLINE_HOME", "elsewhere")
    results, work = tmp_path / "results.json", tmp_path / "bench"
    for _ in range(2):  # the second time with the index of the first
        depth.run(asked(data, half="first", questions=2, jobs=2), results, work)
    figures = json.loads(results.read_text("utf-8"))["scholarqa_cs"]["first, 2 of them"]["standard"]
    assert figures["questions"] == 2
    assert 1 >= figures["gold_found"] >= figures["gold_quoted"] >= figures["gold_cited"] > 0
    assert figures["criteria_cited"] == figures["facts_stated"] == 1
    assert figures["words"] > 0
    assert any((work / folder / "index").is_dir() for folder in work.iterdir())
    assert "gold sources quoted" in capsys.readouterr().out
