"""Search terms of English and Chinese texts."""

import pytest

from services.search.tokens import tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("soundings", "sounding"),
        ("measured", "measures"),
        ("Ｌｅａｄ", "lead"),
        ("4,475", "4475"),
        ("companies", "company"),
        ("Akinoshū", "Akinoshu"),
        ("Jime\u0301nez", "Jimenez"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


def test_chinese_becomes_bigrams_without_function_words() -> None:
    assert tokens("近视的防控") == ["近视", "防控"]


def test_a_lone_character_stays() -> None:
    assert tokens("眼 axis") == ["眼", "axis"[:4]]


def test_stop_words_can_be_kept() -> None:
    assert tokens("the sea") == ["sea"]
    assert tokens("the sea", keep_stop_words=True) == ["the", "sea"]


def test_words_of_two_scripts_that_touch_are_told_apart() -> None:
    assert tokens("ROCIT试验用OK镜")[:2] == ["rocit", "试验"]
    assert "ok" in tokens("ROCIT试验用OK镜")
