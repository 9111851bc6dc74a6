"""Reading a set of questions: our form, CSV, the published forms, and clear words where a row is wrong."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from leadline.evaluation.sets import read_set
from services.run.errors import BadInput
from tests.conftest import EXAMPLES


def write(tmp_path: Path, *rows: Any, name: str = "set.jsonl") -> Path:
    file = tmp_path / name
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return file


def test_a_set_of_json_lines_has_all_its_fields(tmp_path: Path) -> None:
    row = {
        "question": "Who?",
        "facts": ["Belfast", ["10,984", "10984"]],
        "gold": ["https://a.example/x"],
        "documents": ["machine.md"],
        "criteria": ["Names him", {"text": "Dates it", "weight": 2, "gold": ["machine.md"]}],
        "reference": "He was.",
        "language": "en",
    }
    one, two = read_set(write(tmp_path, row, "", {"question": "When?", "id": 7}))
    assert (one.id, two.id) == ("1", "7")
    assert one.facts == [["Belfast"], ["10,984", "10984"]]
    assert [criterion.weight for criterion in one.criteria] == [1, 2]
    assert one.sources == ["https://a.example/x", "machine.md"]


def test_a_csv_file_is_read_with_several_values_a_cell(tmp_path: Path) -> None:
    file = write(
        tmp_path, "question,facts,gold", '"Who, when?",Belfast; 10 m | ten metres,a.md;b.md', "", name="set.csv"
    )
    [one] = read_set(file)
    assert one.question == "Who, when?"
    assert one.facts == [["Belfast"], ["10 m", "ten metres"]]
    assert one.gold == ["a.md", "b.md"]


def test_the_sets_of_compare_can_be_read_too() -> None:
    questions = read_set(EXAMPLES / "deep-sea.questions.json")
    assert questions[0].facts
    assert any(question.sources for question in questions)


def test_a_compressed_set_with_ids_of_documents_is_read(tmp_path: Path) -> None:
    file = tmp_path / "set.jsonl.gz"
    row = {"qid": "q1", "question": "?", "gold_ids": ["d1"], "criteria": [{"criterion": "c", "gold_ids": ["d1"]}]}
    file.write_bytes(gzip.compress(json.dumps(row).encode()))
    [one] = read_set(file)
    assert (one.id, one.gold, one.criteria[0].gold) == ("q1", ["d1"], ["d1"])


def test_deepresearch_bench_is_read_with_its_criteria_and_references(tmp_path: Path) -> None:
    criterion = {"criterion": "Breadth", "explanation": "Covers all.", "weight": 0.5}
    row = {
        "id": 51,
        "language": "en",
        "prompt": "Compare them.",
        "dimension_weight": {"insight": 0.4, "comprehensiveness": 0.6},
        "criterions": {"comprehensiveness": [criterion], "insight": [criterion]},
    }
    references = write(tmp_path, {"id": 51, "prompt": "Compare them.", "article": "# Report"}, name="reference.jsonl")
    [one] = read_set(write(tmp_path, row), references)
    assert (one.id, one.question, one.language, one.reference) == ("51", "Compare them.", "en", "# Report")
    assert [(c.text, c.weight, c.dimension) for c in one.criteria] == [
        ("Breadth: Covers all.", 0.3, "comprehensiveness"),
        ("Breadth: Covers all.", 0.2, "insight"),
    ]
    assert one.dimension_weights == {"insight": 0.4, "comprehensiveness": 0.6}


def test_queries_of_deepresearch_bench_alone_are_questions(tmp_path: Path) -> None:
    [one] = read_set(write(tmp_path, {"id": 1, "topic": "Finance", "language": "zh", "prompt": "金融的未来？"}))
    assert (one.question, one.language) == ("金融的未来？", "zh")


def test_deepresearch_bench_ii_is_read_with_its_rubric_and_what_it_blocks(tmp_path: Path) -> None:
    content = {
        "task": "Write it.",
        "rubric": {"info_recall": ["States 5.6"], "analysis": ["Explains"], "presentation": ["Has a table"]},
        "blocked": {"title": "t", "urls": ["https://www.mdpi.com/x"]},
    }
    [one] = read_set(write(tmp_path, {"id": "task7", "idx": 1, "prompt": "Write it. Rule.", "content": content}))
    assert (one.id, one.question, one.excluded) == ("task7", "Write it.", ["https://www.mdpi.com/x"])
    assert [c.dimension for c in one.criteria] == ["comprehensiveness", "insight", "readability"]


def test_scholarqabench_is_read_from_its_test_cases(tmp_path: Path) -> None:
    case = {
        "case_id": "c1",
        "initial_prompt": "Which datasets?",
        "metric_config": {"config": {"other_properties": [{"name": "m", "criterion": "Defines", "weight": 0.13}]}},
    }
    [one] = read_set(write(tmp_path, json.dumps([case]), name="test_configs_snippets.json"))
    assert (one.id, one.question) == ("c1", "Which datasets?")
    assert [(c.text, c.weight) for c in one.criteria] == [("Defines", 0.13)]


WRONG = {
    "no question": (['{"question": "a"}', '{"facts": []}'], "line 2, field question"),
    "an empty question": (['{"question": "  "}'], "line 1, field question: it is empty"),
    "a misspelt field": (['{"question": "a", "fact": ["x"]}'], "line 1: there is no field 'fact'"),
    "facts that are no list": (['{"question": "a", "facts": 3}'], "line 1, field facts"),
    "a criterion without a text": (['{"question": "a", "criteria": [{"weight": 1}]}'], "field criteria.0.text"),
    "a negative weight": (['{"question": "a", "criteria": [{"text": "c", "weight": -1}]}'], "criteria.0.weight"),
    "a language that is none": (['{"question": "a", "language": "klingon!"}'], "line 1, field language"),
    "no JSON": (['{"question": '], "line 1: this is no valid JSON"),
    "a list on a line": (["3"], "line 1: this is no JSON object"),
    "one id twice": (['{"question": "a", "id": "x"}', '{"question": "b", "id": "x"}'], "twice"),
    "nothing": ([""], "holds no questions"),
    "labels for other criteria": (
        ['{"question": "a", "criteria": ["c"], "labelled": [{"report": "r", "met": []}]}'],
        "labelled.0.met",
    ),
    "a published row without its prompt": (['{"id": 1, "content": {"rubric": {}}}'], "line 1, field question"),
    "a published rubric of the wrong type": (
        ['{"content": {"task": "t", "rubric": {"analysis": [3]}}}'],
        "criteria.0.text",
    ),
}


@pytest.mark.parametrize(("rows", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_row_is_named_by_line_and_field(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_set(write(tmp_path, *rows))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [("q,facts\na,b", "a column named question"), ('question\n"a",b', "more values than columns")],
)
def test_a_csv_file_that_cannot_be_used_says_why(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_set(write(tmp_path, text, name="set.csv"))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"no gzip")
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\xff")
    for name, said in (("a.gz", "cannot be read"), ("b.jsonl", "UTF-8"), ("c.jsonl", "cannot be read")):
        with pytest.raises(BadInput, match=said):
            read_set(tmp_path / name)


def test_references_of_other_questions_are_refused(tmp_path: Path) -> None:
    references = write(tmp_path, {"id": "other", "article": "text"}, name="reference.jsonl")
    with pytest.raises(BadInput, match="none of its reports"):
        read_set(write(tmp_path, {"question": "a"}), references)
