"""Search terms of English and Chinese texts."""

import unicodedata

import pytest

from services.text.normal_form import MOST_MARKS, normal_form
from services.text.tokens import message_language, tokens


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
        ("железной дороги", "железная дорога"),
        ("железными дорогами", "железных дорог"),
        ("мостами", "мосту"),
        ("مُحَمَّد", "محمد"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert tokens(one) == tokens(other)


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("부산항", "부산항은 1876년에 문을 열었다"),
        ("รถไฟ", "การก่อสร้างทางรถไฟสายแรก"),
        ("灯台", "灯台は翌年に完成した"),
        ("हिन्दी", "यह हिन्दी में है"),
        ("פתח", "בשנת 1936 פתח נמל"),
    ],
)
def test_a_word_is_found_in_a_sentence_of_its_script(word: str, sentence: str) -> None:
    assert tokens(word)
    assert set(tokens(word)) <= set(tokens(sentence))


def test_words_of_two_scripts_that_touch_are_told_apart() -> None:
    assert tokens("ROCIT试验用OK镜")[:2] == ["rocit", "试验"]
    assert "ok" in tokens("ROCIT试验用OK镜")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("威廉·汤姆森何时受封为爵士？", "zh"),
        ("什么是 tallow？", "zh"),
        ("ウィリアム・トムソンはいつ爵位を受けましたか？", "en"),
        ("測深儀はどこで発明された", "en"),
        ("윌리엄 톰슨은 언제 기사 작위를 받았습니까?", "en"),
        ("When was Thomson knighted?", "en"),
    ],
)
def test_messages_about_a_text_are_in_chinese_or_english(text: str, language: str) -> None:
    assert message_language(text) == language


def test_marks_that_languages_need_stay() -> None:
    text = "Vie\u0302\u0323t Nam, ξ\u0313\u0301, שִׁ, นี้, हिन्दी"

    assert normal_form("NFC", text) == unicodedata.normalize("NFC", text)


def test_of_too_many_marks_the_first_ones_stay() -> None:
    text = "a" + "\u0316" * 100 + "b"

    assert normal_form("NFD", text) == "a" + "\u0316" * MOST_MARKS + "b"
