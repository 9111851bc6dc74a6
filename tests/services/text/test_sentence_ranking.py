"""Which sentences bear a claim: the rare word, the number, the passage; English and Chinese."""

import pytest

from services.text.ranking import bm25, fuse, take_turns
from services.text.sentence_ranking import sentence_scores
from services.text.tokens import tokens

VOYAGE = [
    "# HMS Challenger",
    "The ship left Portsmouth in December 1872.",
    "Her crew sounded the ocean with hemp rope.",
    "On 23 March 1875 they sounded near Guam.",
    "The lead touched bottom at 4,475 fathoms.",
    "The crew mended sails for a week.",
    "Letters reached the ship at Yokohama.",
    "Comments: what a ship, what an ocean, what a crew!",
]
CLINIC = [
    "眼科门诊每天上午八点开放。",
    "研究发现，每天户外活动两小时可以预防近视。",
    "散光需要配镜矫正。",
    "对照组的近视发病率为百分之十七。",
    "欢迎关注本院公众号。",
]


@pytest.mark.parametrize(
    ("claim", "sentences", "first"),
    [
        ("The expedition sailed from Portsmouth.", VOYAGE, 1),
        ("Bottom was found 4475 fathoms down.", VOYAGE, 4),
        ("A sounding was made off Guam in March 1875.", VOYAGE, 3),
        ("Mending the sails took seven days.", VOYAGE, 5),
        ("户外活动能够预防近视。", CLINIC, 1),
        ("对照组有17%的人患上近视。", CLINIC, 3),
    ],
    ids=["a rare word", "a number", "a date", "another form of a word", "Chinese", "a Chinese number"],
)
def test_the_sentence_that_bears_a_claim_comes_first(claim: str, sentences: list[str], first: int) -> None:
    scores = sentence_scores(claim, sentences)
    assert scores.index(max(scores)) == first


def test_of_two_like_sentences_the_one_in_the_right_passage_comes_first() -> None:
    text = [
        "He retired in that year.",
        "Nobody knows why.",
        "The garden was large.",
        "The brass tide predictor of Thomson stood in Glasgow.",
        "He retired in that year.",
        "The predictor drew tides.",
    ]
    scores = sentence_scores("Thomson retired after the tide predictor stood in Glasgow.", text)
    assert scores[4] > scores[0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    documents = [tokens(text) for text in ("ship ship sounding", "ship tallow", "ship wire", "ship cable")]
    scores = bm25(documents, tokens("ship tallow"))
    assert max(range(4), key=scores.__getitem__) == 1


def test_chinese_words_of_two_characters_are_found() -> None:
    documents = [tokens("户外活动可以预防近视"), tokens("散光需要配镜")]
    assert bm25(documents, tokens("近视")) == [bm25(documents, tokens("近视"))[0], 0.0]
    assert bm25(documents, tokens("近视"))[0] > 0


def test_what_stands_in_two_lists_beats_what_leads_one() -> None:
    assert next(iter(fuse([["a", "b"], ["c", "b"]]))) == "b"


def test_one_source_leaves_room_for_others_until_they_run_out() -> None:
    source_of = {"a1": "a", "a2": "a", "a3": "a", "b1": "b"}
    ranked = list(source_of)
    assert take_turns(ranked, source_of, limit=3, per_source=2) == ["a1", "a2", "b1"]
    assert take_turns(ranked, source_of, limit=4, per_source=2) == ranked
