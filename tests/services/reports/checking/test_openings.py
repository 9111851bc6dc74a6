"""What code decides of an opening that cites nothing: its numbers and words are those of the verified statements below."""

from typing import Any

import pytest

from schemas.evidence import Claim, Judgement
from schemas.usage import Usage
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.claim_check import Judgements
from services.reports.markdown import ReportInputs, finish_report
from tests.services.reports.checking.conftest import check_citations, excerpts_of, marked

DEPTH = "The ship sounded 4,475 fathoms near Guam in 1875."
WIRE = "Piano wire of Lucas replaced the hemp line of the ship."


def checked(opening: str, below: str, judgement: Judgement | None = None, **choices: Any) -> CheckedReport:
    given: Judgements = {(opening, ()): judgement} if judgement else {}
    draft = f"# A deep place\n\n{opening}\n\n## Below\n\n{below}"
    return check_citations(draft, excerpts_of([DEPTH, WIRE]), judgements=given, **choices)


def changed(opening: str, below: str, former: Claim) -> CheckedReport:
    """Check a report whose opening an earlier check judged."""
    report = finish_report(ReportInputs("How deep?", "en-US", "", (), [], {}), Usage())
    return checked(opening, below, former=report.model_copy(update={"citations": [former]}))


def first(report: CheckedReport) -> Claim:
    [claim] = report.claims[: report.opening]
    return claim


SUPPORTED = Judgement(verdict="supported", words="fathoms near Guam")


@pytest.mark.parametrize(
    ("opening", "judgement", "status", "reason"),
    [
        ("Sounding reached 4,475 fathoms, by wire.", None, "supported", ""),
        ("Two things are told: depth near Guam and the wire of the ship.", None, "supported", ""),
        ("Sounding reached 9,475 fathoms.", SUPPORTED, "unverified", "Not in what it cites: 9,475."),
        ("Patience made ocean science possible.", None, "unverified", "It shares too few words with what it cites."),
        ("Patience made ocean science possible.", SUPPORTED, "supported", ""),
    ],
)
def test_code_holds_its_numbers_and_a_model_decides_on_its_words(
    opening: str, judgement: Judgement | None, status: str, reason: str
) -> None:
    claim = first(checked(opening, f"{DEPTH} [E1-1] {WIRE} [E1-2]", judgement))
    assert (claim.status, claim.citations) == (status, [])
    assert claim.reason == reason


def test_a_number_of_the_opening_may_stand_in_code_below() -> None:
    opening, program = "Sounding near Guam waits 90.", "sounding --depth 4,475 --wait 90"
    draft = f"# A deep place\n\n{opening}\n\n## Below\n\n{DEPTH} [E1-1]\n\n```text\n{program}\n```"
    assert first(check_citations(draft, excerpts_of([DEPTH, f"{program} --keep"]))).status == "supported"


@pytest.mark.parametrize(
    ("title", "stands"), [("Guam lies 4,454 fathoms deeper", True), ("Guam lies 9,454 deeper", False)]
)
def test_a_number_of_the_title_may_follow_from_two_statements_below(title: str, stands: bool) -> None:
    shallow = "The ship sounded 21 fathoms near Samoa in 1875."
    draft = f"# {title}\n\nThe ship sounded.\n\n## Below\n\n{DEPTH} [E1-1] {shallow} [E1-2]"
    report = check_citations(draft, excerpts_of([DEPTH, shallow]))
    assert (title in report.markdown) is stands


def test_an_unverified_statement_bears_no_opening_and_both_are_counted() -> None:
    report = checked(
        "Sounding reached 5,000 fathoms near Guam.", f"{WIRE} [E1-2] It was 5,000 fathoms near Guam [E1-1]."
    )
    assert [claim.verified for claim in report.claims] == [False, True, False]
    assert (marked(report), report.opening) == (2, 1)


def test_what_is_refuted_below_is_counted_with_what_is_above() -> None:
    wrong = "The hemp line of the ship replaced piano wire."
    refuted: Judgements = {(wrong, ("E1-2",)): Judgement(verdict="contradicted", words="replaced the hemp line")}
    draft = f"# A deep place\n\n{DEPTH}\n\n## Below\n\n{DEPTH} [E1-1] {wrong[:-1]} [E1-2]."
    report = check_citations(draft, excerpts_of([DEPTH, WIRE]), judgements=refuted)
    assert [claim.text for claim in report.left_out] == [wrong]
    assert report.markdown.startswith(f"# A deep place\n\n{DEPTH}\n\n## Below\n\n")


@pytest.mark.parametrize(("below", "stands"), [(f"{DEPTH} [E1-1]", True), (f"{WIRE} [E1-2]", False)])
def test_after_a_change_it_keeps_its_verdict_only_while_the_words_that_decided_stand(below: str, stands: bool) -> None:
    opening = "Patience made ocean science possible."
    former = Claim(text=opening, verified=True, status="supported", cited_by="report", judgement=SUPPORTED)
    report = changed(opening, below, former)
    assert first(report).verified is stands
    assert ((opening, ()) in report.undecided) is not stands
