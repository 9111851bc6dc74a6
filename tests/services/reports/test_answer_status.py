"""Whether a report answers: by its opening and the last reflection, never by how many of its quotes are real."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from schemas.evidence import Answered
from schemas.reporter import Report
from services.reports.bundle_files import seal
from services.reports.checking.bundle_check import verify_bundle
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from tests.services.reports.full import bundle_of, report_of

TEXTS = ["HMS Challenger sounded 4,475 fathoms near Guam.", "The lead weighed 7 pounds."]
DEPTH, LEAD = (f"{text[:-1]} [E1-{place}]." for place, text in enumerate(TEXTS, 1))


def told(body: str, **changes: Any) -> Report:
    return report_of(body, TEXTS, "How deep is the sea near Guam?", **changes)


@pytest.mark.parametrize(
    ("opening", "answered"),
    [
        (f"**TL;DR** {DEPTH}", "yes"),
        (f"{DEPTH} It cost 77,777 guineas [E1-2].", "partly"),
        (f"{DEPTH} The sources do not state the width.", "partly"),
        (f"The sources do not answer this. {DEPTH}", "no"),
        (
            f"The sources found do not speak of this in English, only in Chinese, quoted here untranslated. {DEPTH}",
            "partly",
        ),
        ("It cost 77,777 guineas [E1-2].", "no"),
        ("The sea is what it is.", "no"),
    ],
)
def test_the_opening_decides_and_not_the_sections(opening: str, answered: Answered) -> None:
    report = told(f"# Depth\n\n{opening}\n\n## Evidence\n\n{LEAD}")
    assert report.answered == answered
    assert any(claim.verified for claim in report.citations)


def test_of_a_report_without_an_opening_the_first_section_decides() -> None:
    assert told(f"# Depth\n\n## Answer\n\n{DEPTH}\n\n## More\n\nIt cost 77,777 guineas [E1-2].").answered == "yes"


@pytest.mark.parametrize("lacking", [{"enough": False}, {"missing_aspects": ["the width"]}])
def test_research_that_missed_something_answers_only_partly(lacking: dict[str, Any]) -> None:
    assert told(DEPTH, **lacking).answered == "partly"


@pytest.mark.parametrize("render", [str, partial(render_html, interactive=False)], ids=["Markdown", "page"])
def test_the_closest_passages_are_said_to_be_no_answer_before_their_quotes_are_counted(render: Any) -> None:
    report = told(DEPTH, by_rules=True)
    assert report.answered == ""
    head = "No answer: the closest passages, without a model · every quote checked (1 statement: 1 quoted)"
    assert head in render(report if render is str else parse_report(report))


async def test_a_bundle_keeps_the_answer_and_verifies_without_it(tmp_path: Path) -> None:
    await bundle_of(told(DEPTH), tmp_path, TEXTS)
    file = tmp_path / "evidence.json"
    content = json.loads(file.read_text("utf-8"))
    assert content["answered"] == "yes"
    assert verify_bundle(tmp_path).head == "Answers the question: yes · every quote checked (1 statement: 1 quoted)"
    del content["answered"]
    file.write_text(json.dumps({**content, "evidence_sha256": seal(content)}), "utf-8")
    check = verify_bundle(tmp_path)
    assert check.problems == []
    assert check.head == "every quote checked (1 statement: 1 quoted)"


async def test_a_bundle_that_is_said_to_answer_with_nothing_supported_does_not_verify(tmp_path: Path) -> None:
    report = told("It cost 77,777 guineas [E1-2].").model_copy(update={"answered": "yes"})
    await bundle_of(report, tmp_path, TEXTS)
    assert verify_bundle(tmp_path).problems == [
        "evidence.json: the report is said to answer the question, and no claim of it is quoted or supported"
    ]
