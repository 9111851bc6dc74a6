"""The benchmark that runs `leadline eval`: a small corpus from end to end, and clear words where it cannot be run."""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import evaluation
from benchmarks.depth import Impossible

PASSAGES = {
    "oil": "The Varnholm lighthouse burned rape oil until 1871. Its keepers trimmed wicks.",
    "bell": "In fog the keepers of Varnholm lighthouse rang a bell twice a minute.",
}
QUESTION = {
    "qid": "q1",
    "question": "What oil did the Varnholm lighthouse burn, and how was the fog bell rung?",
    "gold_ids": ["oil", "bell"],
    "criteria": [{"criterion": "names the oil", "weight": 0.6, "gold_ids": ["oil"]}],
}


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    corpus = [{"doc_id": name, "title": name, "text": text} for name, text in PASSAGES.items()]
    write_rows(folder / "scholarqa_cs_corpus.jsonl.gz", corpus)
    write_rows(folder / "scholarqa_cs_questions.jsonl.gz", [QUESTION])
    return folder


def given(data: Path | str, **other: Any) -> argparse.Namespace:
    chosen = {"data": str(data), "questions": 5, "depth": ["quick", "standard"], "connected": False, "rest": []}
    return argparse.Namespace(**{**chosen, **other})


def test_figures_are_kept_and_no_text_of_the_data(data: Path, tmp_path: Path) -> None:
    results = tmp_path / "evaluation.json"
    evaluation.run(given(data), results, tmp_path / "work")
    text = results.read_text("utf-8")
    kept = json.loads(text)["without a model"]
    assert kept["questions"] == 1
    assert kept["summary"]["standard"]["gold_cited"]["mean"] == 1.0
    assert kept["models"] == {"quick": "offline", "standard": "offline"}
    assert "Varnholm" not in text
    assert str(tmp_path) not in text


def test_missing_data_says_so(tmp_path: Path) -> None:
    with pytest.raises(Impossible, match="does not hold"):
        evaluation.run(given(tmp_path), tmp_path / "r.json", tmp_path / "work")
    with pytest.raises(Impossible, match="no depth"):
        evaluation.run(given(tmp_path, depth=["bottomless"]), tmp_path / "r.json", tmp_path / "work")


def test_a_model_is_connected_only_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("LEADLINE_MODEL", "m")
    assert "OPENAI_API_KEY" not in evaluation.environment_of(tmp_path, connected=False)
    connected = evaluation.environment_of(tmp_path, connected=True)
    assert (connected["OPENAI_API_KEY"], connected["LEADLINE_MODEL"]) == ("k", "m")
