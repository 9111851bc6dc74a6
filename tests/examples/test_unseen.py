"""Questions over folders that no rule was written for: what opens without a model is right, or says that it does not answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from services.models.offline.opening_phrases import DIGEST
from tests.conftest import PROJECT
from tests.examples.openings import declines, opening_of

FOLDERS = Path(__file__).parent / "unseen"
QUESTIONS: list[dict[str, Any]] = json.loads((FOLDERS / "questions.json").read_text("utf-8"))


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked["question"])
async def test_no_opening_is_confidently_wrong(asked: dict[str, Any]) -> None:
    folder = PROJECT / asked["folder"] if "/" in asked["folder"] else FOLDERS / asked["folder"]
    report = await aresearch(asked["question"], docs=[folder], search="documents")
    opening = opening_of(report)
    match asked["gold"]:
        case "digest":
            assert report.answered == "partly"
            assert any(phrase in opening for phrase in DIGEST.values()), opening
        case None:
            assert report.answered == "no", opening
        case facts:
            told = all(fact in opening for fact in facts)
            assert told or (declines(report) and report.answered != "yes"), opening
