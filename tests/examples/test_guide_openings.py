"""What a run without a model opens with, for each question that stands in a guide: the right answer, or an honest word that it has none."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from tests.conftest import EXAMPLES
from tests.examples.guide_questions import guide_questions
from tests.examples.openings import declines, opening_of

JUDGED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "guide_openings.json").read_text("utf-8"))
NOT_ASKED = {
    "And where was he born?": "leans on the question before it",
    "How deep is the eastern basin, and which ships need a pilot there?": "is on a folder that its notebook writes",
    "Whose was the Lalla Rookh?": "is answered from the memory of the question before it",
    "How did the shorter route save time?": "shows what is no request to change a report",
    "Who plays what, and does it answer?": "is the heading of a command",
    "What does more depth bring, and what does it cost?": "is the heading of a command",
    "Which claims of the latest report still hold?": "is the heading of a command",
    "Where did the time go?": "is the heading of a command",
}


def test_every_question_of_a_guide_is_judged() -> None:
    judged = {one["question"] for one in JUDGED} | NOT_ASKED.keys()
    assert {question: places for question, places in guide_questions().items() if question not in judged} == {}


@pytest.mark.parametrize("judged", JUDGED, ids=lambda judged: judged["question"])
async def test_the_opening_is_right_or_says_that_it_does_not_answer(judged: dict[str, Any]) -> None:
    options = dict(judged.get("options", {}))
    if "profile" in options:
        options["profile"] = EXAMPLES / options["profile"]
    report = await aresearch(judged["question"], docs=[EXAMPLES / judged["documents"]], search="documents", **options)
    opening = opening_of(report)
    missing = [fact for fact in judged["facts"] if fact not in opening]
    assert missing == [] or not judged.get("must"), opening
    assert missing == [] or (declines(report) and report.answered != "yes"), opening
    if "first" in judged:
        assert re.findall(r"\d+,\d{3}", opening)[:1] == [judged["first"]], opening
