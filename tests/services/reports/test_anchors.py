"""Sections of a report have anchors of their own."""

from itertools import chain

from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.parser import parse_report
from tests.attacks.processor_time import processor_time


def _anchors(*titles: str) -> list[str]:
    text = "\n\n".join(chain(["# Report"], (f"## {title}" for title in titles)))
    parsed = parse_report(Report(title="", question="Which?", markdown=text, usage=Usage()))
    return [section.anchor for section in parsed.sections]


def test_equal_titles_are_numbered() -> None:
    assert _anchors("Depth", "Depth", "Depth 2", "Depth", "Depth 2") == [
        "sec-depth", "sec-depth-2", "sec-depth-2-2", "sec-depth-3", "sec-depth-2-3",
    ]  # fmt: skip


def test_thousands_of_equal_headings_take_linear_time() -> None:
    with processor_time(8):
        anchors = _anchors(*["Depth"] * 12_500)
    assert len(set(anchors)) == 12_500
