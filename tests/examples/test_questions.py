"""The example questions, asked as a new user asks them: the right answer, its proof, and nothing unproved.

A question that wants more than passages carries `needs_model`, or is a computation: the report on it without a model must
still hold in every check, but need not be complete.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from services.reports.bundle import verify_bundle
from tests.conftest import EXAMPLES

QUESTIONS = [
    (name, question)
    for name in ("deep-sea", "myopia")
    for question in json.loads((EXAMPLES / f"{name}.questions.json").read_text("utf-8"))
]


@pytest.mark.parametrize(("name", "question"), QUESTIONS, ids=lambda one: one["id"] if isinstance(one, dict) else one)
async def test_the_report_has_the_facts_and_their_proof(name: str, question: dict[str, Any], tmp_path: Path) -> None:
    report = await aresearch(question["question"], docs=[EXAMPLES / name], out=tmp_path)
    check = verify_bundle(Path(report.folder or ""))
    assert check.problems == []
    assert all(claim.verified for claim in report.citations)
    text = report.markdown.lower()
    missing = [fact for fact in question["facts"] if not any(form.lower() in text for form in fact)]
    if not question.get("needs_model") and question["kind"] != "computation":
        assert missing == []


@pytest.mark.parametrize("name", ["deep-sea", "myopia"])
def test_a_set_is_large_enough_to_need_search(name: str) -> None:
    files = [path for path in (EXAMPLES / name).iterdir() if path.is_file()]
    assert len(files) >= 20
    assert {".md", ".txt", ".html", ".csv", ".xlsx", ".docx", ".pdf"} <= {path.suffix for path in files}


def test_every_kind_of_question_is_asked() -> None:
    kinds = {question["kind"] for _, question in QUESTIONS}
    assert kinds >= {"fact", "multi", "bridge", "contradiction", "computation", "duplicate"}
