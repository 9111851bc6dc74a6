"""Broad questions get a digest of the sources, which is called one; others do not."""

import pytest

from services.models.offline.digests import digest_topic
from services.models.offline.opening_phrases import DIGEST
from tests.services.models.offline.prompts_of import finding, plan, report, triage


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Tell me all about the Skerryvore lighthouse", "the Skerryvore lighthouse"),
        ("Overview of these documents", ""),
        ("Please give me a short summary of the wage books.", "the wage books"),
        ("Summarise what the documents say about granite", "granite"),
        ("What do these documents say?", ""),
        ("全面介绍灯塔的建造", "灯塔的建造"),
        ("介绍一下这些文件", ""),
        ("这些资料讲了什么？", ""),
    ],
)
def test_a_broad_question_is_told_by_its_form(question: str, topic: str) -> None:
    assert digest_topic(question) == topic
    assert triage(question).complexity == "complex"
    assert len(plan(question).steps) == 1


@pytest.mark.parametrize(
    "question",
    [
        "When was the lighthouse built?",
        "What does “The tower” say about “Stone”?",
        "灯塔是哪一年建成的？",
        "Who wrote the report?",
    ],
)
def test_a_question_for_something_is_not_broad(question: str) -> None:
    assert digest_topic(question) is None


def test_a_digest_has_a_section_for_each_source_and_says_what_it_is() -> None:
    text = report(
        "Tell me all about lighthouses",
        finding(
            "A lighthouse warns ships of a reef at night.",
            "Lighthouses burned paraffin before they had electric lamps.",
        ),
    )
    assert DIGEST[False] in text
    assert "not an answer" in text
    assert text.count("## ") >= 1
    assert "warns ships of a reef at night [E1-1]." in text
