"""Words that mean about the same share words of the other language; opposites do not."""

import pytest

from services.embedding.synonyms import with_synonyms
from services.text.tokens import tokens


def term(word: str) -> str:
    [only] = tokens(word)
    return only


@pytest.mark.parametrize(
    ("word", "other"),
    [("woman", "female"), ("kill", "murder"), ("founded", "established"), ("buy", "purchase"), ("author", "writer")],
)
def test_words_of_one_meaning_are_found(word: str, other: str) -> None:
    assert term(other) in with_synonyms([term(word)])[term(word)]


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("high", "low"),
        ("north", "south"),
        ("win", "lose"),
        ("increase", "decrease"),
        ("teacher", "student"),
        ("mother", "father"),
        ("deep", "strong"),
    ],
)
def test_opposites_and_what_shares_little_are_not(word: str, other: str) -> None:
    assert term(other) not in with_synonyms([term(word)])[term(word)]


def test_a_word_that_the_dictionary_lacks_stands_for_itself() -> None:
    assert with_synonyms(["skerryvore"]) == {"skerryvore": frozenset(["skerryvore"])}
