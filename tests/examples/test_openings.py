"""What a report opens with, without a model: the sentence that answers where the documents have it, and no claim where not."""

import json
import re
from pathlib import Path

import pytest

from leadline import aresearch
from tests.conftest import EXAMPLES

OPENINGS = json.loads((Path(__file__).parent / "openings.json").read_text("utf-8"))
NOT_FOUND = {"ATOM1试验使用了多少浓度的阿托品？"}
MISSED = pytest.mark.xfail(
    reason="without a model, a sentence that names the trial is taken for one that tells its dose", strict=True
)
_REFUSES = re.compile(r"do not answer|do not tell|没有.{0,8}(?:直接回答|提到)|No evidence|没有找到")


async def opening_of(question: str, documents: str) -> str:
    """Return what stands between a report's title and its first section, of folders of documents named with spaces between."""
    report = await aresearch(question, docs=[EXAMPLES / one for one in documents.split()])
    return re.split(r"\n## ", report.markdown.partition("\n")[2])[0]


@pytest.mark.parametrize(
    ("documents", "question", "facts"),
    [pytest.param(*opening, marks=MISSED if opening[1] in NOT_FOUND else ()) for opening in OPENINGS],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_the_opening_has_the_answer(documents: str, question: str, facts: list[str]) -> None:
    opening = await opening_of(question, documents)
    assert [fact for fact in facts if fact not in opening] == [], opening


async def test_the_question_of_the_readme_is_answered_whole() -> None:
    opening = await opening_of("How long did the ascent of the Trieste take?", "deep-sea")
    assert "3 hours and 15 minutes" in opening
    assert _REFUSES.search(opening) is None


async def test_a_way_from_name_to_name_is_told_without_what_lies_beside_it() -> None:
    question = "Where was the professor who first sounded with piano wire from the schooner Lalla Rookh born?"
    report = await aresearch(question, docs=[EXAMPLES / "deep-sea"])
    told = report.markdown.split("## Evidence")[0]
    assert "Belfast" in told
    assert "owner was Sir William Thomson" in told
    assert "Tuscarora" not in told
    assert "Belknap" not in " ".join(step.title for plan in report.plans for step in plan.steps)


@pytest.mark.parametrize(
    ("documents", "question"),
    [
        ("deep-sea", "How tall was Marie Tharp?"),
        ("deep-sea", "Where was Don Walsh born?"),
        ("deep-sea", "When did Alexander Behm marry?"),
        ("deep-sea", "How much did the voyage of HMS Challenger cost?"),
        ("deep-sea", "How deep did the bathyscaphe Trieste dive in 1958?"),
        ("deep-sea", "How many sailors served aboard the Meteor?"),
        ("deep-sea", "Who designed the Lalla Rookh?"),
        ("deep-sea", "What did James Cameron see at the bottom?"),
        ("myopia", "DIMS镜片多少钱一副？"),
        ("myopia", "何明光是哪一年出生的？"),
        ("myopia", "红光治疗仪有多重？"),
    ],
)
async def test_what_no_document_tells_is_not_said_to_be_answered(documents: str, question: str) -> None:
    assert _REFUSES.search(await opening_of(question, documents)), question
