"""Broad questions get a digest of the sources, which is called one; others do not."""

import pytest

from services.models.offline.digests import digest_topic, queries_for
from services.models.offline.opening_phrases import DIGEST
from services.text.questions import EVERYTHING
from tests.services.models.offline.prompts_of import finding, plan, report, triage


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Tell me all about the Skerryvore lighthouse", "the Skerryvore lighthouse"),
        ("Overview of these documents", ""),
        ("Tell me about the Skerryvore lighthouse", "the Skerryvore lighthouse"),
        ("Tell me about the people in these documents", ""),
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


@pytest.mark.parametrize("question", ["What is in this folder?", "what's in these files", "这个文件夹里有什么？"])
def test_a_question_for_what_is_at_hand_is_about_everything(question: str) -> None:
    assert digest_topic(question) == ""
    assert queries_for(question, "", chinese=False)[0] == EVERYTHING


@pytest.mark.parametrize(
    "question",
    [
        "When was the lighthouse built?",
        "What does “The tower” say about “Stone”?",
        "What else does “The tower” say?",
        "灯塔是哪一年建成的？",
        "Who wrote the report?",
        "Tell me about how the lamp works",
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


def test_a_digest_of_a_subject_has_no_section_from_a_source_on_another() -> None:
    held = finding("Skerryvore stands on a reef of hard gneiss.", "Cheese ripens in cool caves for some months.")
    for item, title in zip(held.evidence, ("Skerryvore", "Cheese"), strict=True):
        item.title = title
    text = report("Tell me all about Skerryvore", held)
    assert "## Skerryvore" in text
    assert "Cheese" not in text


def test_a_section_of_a_digest_tells_kind_and_date_of_its_source_where_known() -> None:
    held = finding("Skerryvore stands on a reef of hard gneiss.", "Skerryvore was lit first in the year 1844.")
    held.evidence[0].title, held.evidence[0].published = "Reef", "1838-08-07"
    held.evidence[1].title, held.evidence[1].kind = "Lamp", "web"
    text = report("Tell me all about Skerryvore", held)
    assert "## Reef\n\nDocument, 1838-08-07:\n\nSkerryvore stands" in text
    assert "## Lamp\n\nSkerryvore was lit" in text


def test_a_mere_document_needs_no_line_and_a_line_that_only_names_its_source_is_not_told() -> None:
    held = finding(
        "Skerryvore stands on a reef of hard gneiss.",
        "Hall of lights - Skerryvore - 2005",
        "A harbour stands on a hill, and lamps burn there.",
        titles=("Reef", "Skerryvore - 2005", "Harbour lamps"),
    )
    text = report("Tell me about Skerryvore", held)
    assert "## Reef\n\nSkerryvore stands" in text
    assert "Document" not in text
    assert "Hall of lights" not in text
    assert "Harbour" not in text
