"""Sentences that only say what the evidence does not tell make no claim."""

import pytest

from services.evidence.non_claims import says_nothing_known, without_label


@pytest.mark.parametrize(
    "sentence",
    [
        "The excerpts for this section do not tell which figure is held to be best today.",
        "What depth their dives gave, the excerpts do not tell.",
        "How much tides or the drift of a wire account for at this place, the evidence does not tell.",
        "Scores of models on named benchmarks are not in the evidence.",
        "本节摘录没有说明哪个数字最可靠。",
        "他们下潜得到的深度是多少，摘录没有给出。",
        "各基准上的得分不在证据之中。",
    ],
)
def test_words_on_missing_evidence_are_no_claim(sentence: str) -> None:
    assert says_nothing_known(sentence, "")


@pytest.mark.parametrize(
    "sentence",
    [
        "The excerpts do not tell it, but the ship sank.",
        "What sank the ship was ice, and the evidence does not tell more.",
        "The ship is not in the harbour.",
        "They do not tell customers the price.",
        "What the 12 dives gave, the excerpts do not tell.",
        "毒物不在杯中。",
        "该药有效，摘录没有说明原因。",
    ],
)
def test_what_says_more_is_a_claim(sentence: str) -> None:
    assert not says_nothing_known(sentence, "")


def test_what_is_not_told_may_stand_behind_a_colon_in_the_words_of_the_question() -> None:
    question = "How many cells do the offices have, and since when?"
    assert says_nothing_known("The sources found do not tell: How many cells.", question)
    assert not says_nothing_known("The sources found do not tell: the offices have nine cells.", question)


@pytest.mark.parametrize(
    ("sentence", "without"),
    [
        ("En bref La ligne a coûté 241 millions.", "La ligne a coûté 241 millions."),
        ("Коротко Линия стоила 241 миллион.", "Линия стоила 241 миллион."),
        ("요약 241억 원이 들었다.", "241억 원이 들었다."),
        ("Kurz gesagt war sie teuer.", "Kurz gesagt war sie teuer."),
    ],
)
def test_the_label_of_the_opening_is_no_part_of_its_first_sentence_in_any_language(sentence: str, without: str) -> None:
    assert without_label(sentence) == without
