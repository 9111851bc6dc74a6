"""Reading a set of questions: plain lines, JSON, and clear words where a row is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline.evaluation.question_set import read_set
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
        "criteria": [{"text": "Names him"}, {"text": "Dates it", "weight": 2, "gold": ["machine.md"]}],
        "language": "en",
    }
    one, two = read_set(write(tmp_path, row, "", {"question": "When?", "id": 7}))
    assert (one.id, two.id) == ("1", "7")
    assert one.facts == [["Belfast"], ["10,984", "10984"]]
    assert [criterion.weight for criterion in one.criteria] == [1, 2]
    assert one.sources == ["https://a.example/x", "machine.md"]


def test_a_plain_list_is_a_question_a_line(tmp_path: Path) -> None:
    plain, json_line = read_set(write(tmp_path, "Who built it?", "", {"question": "When?"}, name="questions.txt"))
    assert [(one.id, one.question) for one in (plain, json_line)] == [("1", "Who built it?"), ("2", "When?")]


@pytest.mark.parametrize("name", ["deep-sea", "myopia"])
def test_the_example_sets_can_be_read(name: str) -> None:
    questions = read_set(EXAMPLES / f"{name}.questions.json")
    assert questions[0].facts
    assert any(question.sources for question in questions)


WRONG = {
    "no question": (['{"question": "a"}', '{"facts": []}'], "line 2, field question"),
    "an empty question": (['{"question": "  "}'], "line 1, field question: it is empty"),
    "a misspelt field": (['{"question": "a", "fact": ["x"]}'], "line 1: there is no field 'fact'"),
    "facts that are no list": (['{"question": "a", "facts": 3}'], "line 1, field facts"),
    "a criterion without a text": (['{"question": "a", "criteria": [{"weight": 1}]}'], "field criteria.0.text"),
    "a negative weight": (['{"question": "a", "criteria": [{"text": "c", "weight": -1}]}'], "criteria.0.weight"),
    "a language that is none": (['{"question": "a", "language": "klingon!"}'], "line 1, field language"),
    "no JSON": (['{"question": '], "line 1: this is not valid JSON"),
    "an object of two lines": (
        ['{"question": "a",', '"id": "x"}'],
        "An object stands on one line; longer ones make a list",
    ),
    "a list of numbers": (["[3]"], "entry 1: this is not a JSON object"),
    "one id twice": (['{"question": "a", "id": "x"}', '{"question": "b", "id": "x"}'], "twice"),
    "nothing": ([""], "has no questions"),
}


@pytest.mark.parametrize(("rows", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_row_is_named_by_line_and_field(tmp_path: Path, rows: list[str], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read_set(write(tmp_path, *rows))
    assert said in str(refused.value)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_bytes(b"\xff\xfe\xff")
    for name, said in (("b.jsonl", "UTF-8"), ("c.jsonl", "cannot be read")):
        with pytest.raises(BadInput, match=said):
            read_set(tmp_path / name)
