"""Whether a message changes the report, and what it wants added, by its words."""

import time

import pytest

from services.text.revision_words import additions, asks_for_change, without_additions
from tests.services.text.revision_messages import (
    CHANGES,
    LAST_CHANGES,
    LAST_QUESTIONS,
    OTHER_CHANGES,
    OTHER_QUESTIONS,
    QUESTIONS,
)


@pytest.mark.parametrize("text", CHANGES)
def test_a_plain_change_is_one(text: str) -> None:
    assert asks_for_change(text)


@pytest.mark.parametrize("text", [*QUESTIONS, *OTHER_QUESTIONS, *LAST_QUESTIONS])
def test_a_question_is_a_question_though_it_has_such_words(text: str) -> None:
    assert not asks_for_change(text)


def test_most_changes_in_other_words_are_recognised_and_the_rest_is_left_to_a_model() -> None:
    assert sum(map(asks_for_change, OTHER_CHANGES)) >= 30
    assert sum(map(asks_for_change, LAST_CHANGES)) >= 14


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("That is too long. Make it shorter.", True),
        ("Make it shorter. And who paid for it?", False),
        ("How deep is it? Make it shorter.", False),
        ("", False),
        ("Make it shorter " + "because of this " * 50, False),
    ],
)
def test_a_message_that_asks_something_too_is_a_question(text: str, changes: bool) -> None:
    assert asks_for_change(text) is changes


@pytest.mark.parametrize(
    ("request_", "topics", "rest"),
    [
        ("Add a section on the costs", ["costs"], ""),
        ("Add a section on the costs and make it shorter", ["costs"], "and make it shorter"),
        ("Add a section on the costs, and a comparison with the Tuscarora Deep", ["costs", "Tuscarora Deep"], ","),
        ("Please include a comparison with the Mariana Trench.", ["Mariana Trench"], "Please ."),
        ("Compare it with the Puerto Rico Trench", ["Puerto Rico Trench"], ""),
        ("Add a paragraph about Jacques Piccard too", ["Jacques Piccard"], ""),
        ("补充一节关于费用的内容", ["费用"], ""),
        ("加上与马里亚纳海沟的比较", ["马里亚纳海沟"], ""),
        ("把它和波多黎各海沟做比较", ["波多黎各海沟"], ""),
        ("Make it shorter", [], "Make it shorter"),
        ("删掉第二节", [], "删掉第二节"),
    ],
)
def test_what_a_change_wants_added_is_named(request_: str, topics: list[str], rest: str) -> None:
    assert additions(request_) == topics
    assert without_additions(request_) == rest


@pytest.mark.parametrize("piece", ["make it ", "改成", "add a section on ", "with ", "把", "加", "更", "a " * 3])
def test_long_texts_are_read_in_linear_time(piece: str) -> None:
    began = time.perf_counter()
    asks_for_change((piece * 500)[:500])
    additions(piece * 2_000)
    without_additions((piece * 2_000)[:2_000])
    assert time.perf_counter() - began < 0.5
