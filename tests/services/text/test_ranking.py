"""Ranking: rare words count, lists fuse, and no source takes all places."""

from services.text.ranking import bm25, fuse, take_turns
from services.text.tokens import tokens


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
