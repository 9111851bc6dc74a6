"""A finished report becomes a draft again: its own words, with the ids of what proves them."""

import re

import pytest
from services.reports.revision.cited_draft import cited_draft, headings_of, without_empty_headings
from services.reports.revision.difference import difference

from schemas.evidence import Contradiction
from schemas.reporter import Report
from schemas.usage import Usage
from services.reports.markdown import finish_report
from tests.services.reports.conftest import Make, source_of
from tests.services.reports.full import chinese, english


@pytest.mark.parametrize("report", [english(), chinese()], ids=["en", "zh"])
def test_a_draft_holds_what_the_report_itself_says_and_nothing_of_the_program(report: Report) -> None:
    draft = cited_draft(report)
    assert draft.startswith("# ")
    assert "](" not in draft
    assert "⚠" not in draft
    assert "≈" not in draft
    cited = set(re.findall(r"\[(E1-\d)\]", draft))
    assert cited == {key for claim in report.citations for key in claim.citations}
    added = ("References", "Limits of this report", "参考", "本报告的局限")
    assert not any(heading.startswith(added) for heading in headings_of(draft))


def test_a_sentence_gets_the_excerpts_that_it_cites_and_not_others_of_the_same_source(draft: Make) -> None:
    body = "# T\n\nIt went on to Japan [E1-2]. On 23 March 1875 HMS Challenger sounded 4,475 fathoms [E1-1]."
    report = finish_report(draft(body), Usage())
    assert report.markdown.count("[[1]]") == 2
    assert cited_draft(report) == body.replace(" [E", "[E").replace("[E", " [E")


def test_a_draft_of_a_draft_is_the_same(draft: Make) -> None:
    body = "# T\n\n## A\n\n- It went on to Japan [E1-2].\n- The piano wire of Lucas replaced the hemp line [E2-1].\n\n| a | b |\n|---|---|\n| Japan | it went on [E1-2] |"
    first = cited_draft(finish_report(draft(body), Usage()))
    assert cited_draft(finish_report(draft(first), Usage())) == first


def test_a_note_that_the_program_puts_first_is_no_part_of_the_draft(draft: Make) -> None:
    report = finish_report(draft("# T\n\nIt went on to Japan [E1-2].", opening="No advice."), Usage())
    assert "> No advice." in report.markdown
    assert "No advice" not in cited_draft(report)


def test_a_section_of_the_reports_own_that_is_called_like_one_of_the_program_stays(draft: Make) -> None:
    body = "# T\n\n## Files\n\nIt went on to Japan [E1-2].\n\n## More\n\nIt went on to Japan [E1-2]."
    assert headings_of(cited_draft(finish_report(draft(body), Usage()))) == ["Files", "More"]


def test_a_last_section_of_the_reports_own_on_a_disagreement_stays(draft: Make) -> None:
    body = "# T\n\n## More\n\nIt went on to Japan [E1-2].\n\n## Where sources disagree\n\nIt went on to Japan [E1-2]."
    assert headings_of(cited_draft(finish_report(draft(body), Usage()))) == ["More", "Where sources disagree"]
    sides = Contradiction(topic="wire", excerpt_ids=["E1-1", "E2-1"])
    both = finish_report(draft(body, contradictions=[sides]), Usage())
    assert both.markdown.count("## Where sources disagree") == 2
    assert headings_of(cited_draft(both)) == ["More", "Where sources disagree"]


@pytest.mark.parametrize(
    ("markdown", "kept"),
    [
        ("# T\n\n## A\n\n## B\n\nb", ["B"]),
        ("# T\n\n## A\n\n### Inner\n\na\n\n## Last", ["A", "Inner"]),
        ("# T\n\n## A\n\n### Empty\n\n## B\n\n```text\n## no heading\n```", ["B"]),
        ("# T\n\n## A\n\na\n\n### Empty", ["A"]),
    ],
)
def test_headings_of_sections_that_hold_nothing_go(markdown: str, kept: list[str]) -> None:
    text = without_empty_headings(markdown)
    assert headings_of(text) == kept
    assert text.startswith("# T\n")


def test_the_same_text_has_no_difference() -> None:
    assert difference(english(), english(), ("a", "b")) == []
    assert difference(english(), chinese(), ("a", "b"))[:2] == ["--- a", "+++ b"]


def test_sources_are_named_only_by_their_numbers() -> None:
    other = english().model_copy(update={"sources": [source_of("web")]})
    assert difference(english(), other, ("a", "b")) == []
