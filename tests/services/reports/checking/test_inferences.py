"""Sentences that are marked as inference: shown as such where they follow, not verified where they do not, a third at most."""

from collections.abc import Sequence
from typing import Any

import pytest

from schemas.document import Block
from schemas.evidence import NO_INPUT, Judgement, Source, Status
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.citable_evidence import CitableEvidence
from services.reports.checking.claim_check import doubt_of
from tests.services.reports.checking.conftest import check_citations, excerpts_of, marked

QUOTES = {
    "E1-1": "The sodium cell kept 80 percent of its capacity for 4,200 cycles at a price of 62 euros per kilowatt-hour.",
    "E1-2": "The lithium cell kept 80 percent of its capacity for 6,100 cycles at a price of 108 euros per kilowatt-hour.",
    "E2-1": "Both cells were tested at 25 degrees in the laboratory of Varnby.",
    "E2-2": "The laboratory of Varnby was founded in 1998.",
    "E2-3": "The inspectors found no cracks on the south side of the Caster dam.",
    "E3-1": "Cells tested: 9; cycles in all: 31,000.",
}
TITLES = dict.fromkeys(QUOTES, "Cell test")
STATED = "Both cells were tested at 25 degrees [E2-1]. The laboratory was founded in 1998 [E2-2]."
LONGER = "The lithium cell therefore lasts longer than the sodium cell"
BUYERS = "Buyers who can live with fewer cycles may therefore prefer the sodium cell"
CHINESE = {
    "E1-1": "在干旱田块，抗旱稻“岭优7号”亩产412公斤，普通稻亩产286公斤。",
    "E1-2": "在灌溉田块，“岭优7号”亩产498公斤，普通稻亩产547公斤。",
}


def check(markdown: str | Sequence[Block], quotes: dict[str, str] = QUOTES, **choices: Any) -> CheckedReport:
    excerpts = excerpts_of(quotes)
    return check_citations(markdown, excerpts, titles=TITLES, **{"question": "Which cell is better?", **choices})


def statuses(checked: CheckedReport) -> list[Status]:
    return [claim.status for claim in checked.claims]


@pytest.mark.parametrize("mark", ["[inferred: E1-1, E1-2]", "[⇒ E1-1, E1-2]", "[E1-1][E1-2 ⇒]"])
def test_a_conclusion_is_shown_as_inference_with_its_premises(mark: str) -> None:
    checked = check(f"{STATED} {LONGER} {mark}.")
    assert checked.markdown == f"{STATED} {LONGER} [E1-1][E1-2]‡."
    claim = checked.claims[-1]
    assert (claim.status, claim.verified, claim.citations, claim.reason) == ("inferred", True, ["E1-1", "E1-2"], "")
    assert marked(checked) == 0


def test_a_conclusion_that_denies_something_is_judged_as_one() -> None:
    stated = "普通稻在干旱田块亩产286公斤[E1-1]。普通稻在灌溉田块亩产547公斤[E1-2]。"
    checked = check(f"{stated}这看来是没有灌溉时的产量[推断：E1-1、E1-2]。", CHINESE, locale="zh-CN")
    assert statuses(checked)[-1] == "inferred"
    assert [doubt.inferred for doubt in checked.undecided.values()] == [False, False, True]


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("The sodium cell thus lasts 9,000 cycles [inferred: E1-1, E1-2].", "Not in what it cites: 9,000."),
        (f"{LONGER} [inferred: E1-1, E7-7].", "It cites E7-7, which does not exist."),
        (f"{LONGER} [inferred].", "It is marked as an inference but names no premises."),
        ("The cells of Karlsund therefore last longer [inferred: E1-1, E1-2].", "Names that are not in what it cites: Karlsund."),
    ],
)  # fmt: skip
def test_what_does_not_follow_is_not_verified_and_says_why(written: str, reason: str) -> None:
    checked = check(f"{STATED} {written}")
    assert (checked.claims[-1].status, checked.claims[-1].reason) == ("unverified", reason)
    assert checked.markdown.endswith("†.")
    assert statuses(check(f"{STATED} {written}", unsupported="drop")) == ["supported", "supported"]


def test_no_conclusion_follows_from_a_computation_out_of_nowhere() -> None:
    said = "Together, the cells therefore lasted 31,000 cycles [inferred: E1-1, E3-1]."
    checked = check(f"{STATED} {said}", untraced={"E3-1": [NO_INPUT]})
    assert checked.claims[-1].status == "unverified"
    assert checked.claims[-1].reason.startswith("Computed from numbers that are in no source")


def test_where_more_than_a_third_of_a_report_is_called_inferred_nothing_is_without_a_verifier() -> None:
    one = f"{STATED} {LONGER} [⇒ E1-1, E1-2]."
    assert statuses(check(one)) == ["supported", "supported", "inferred"]
    more = f"{one} {BUYERS} [⇒ E1-1, E1-2]."
    checked = check(more)
    assert statuses(checked) == ["supported", "supported", "unverified", "unverified"]
    assert checked.claims[3].reason.startswith("It is marked as an inference that no model judged")
    assert statuses(check(more, unsupported="drop")) == ["supported", "supported"]
    judged = {(f"{BUYERS}.", ("E1-1", "E1-2")): Judgement(verdict="follows", words="6,100 cycles")}
    assert statuses(check(more, judgements=judged))[2:] == ["inferred", "inferred"]


def test_a_row_of_a_table_may_be_inferred() -> None:
    rows = "| sodium | 62 euros per kilowatt-hour [E1-1] |\n| lithium | 108 euros per kilowatt-hour [E1-2] |\n"
    last = f"| advice | {BUYERS} [⇒ E1-1, E1-2] |"
    checked = check(f"| Cell | Price |\n|---|---|\n{rows}{last}")
    assert statuses(checked)[-1] == "inferred"
    assert checked.markdown.splitlines()[-1] == f"| advice | {BUYERS} [E1-1][E1-2]‡ |"
    rows = (
        "| sodium | 62 euros per kilowatt-hour | so [E1-1] |\n| lithium | 108 euros per kilowatt-hour | so [E1-2] |\n"
    )
    last = f"| advice | {BUYERS} [⇒ E1-1, E1-2] | so |"
    within = check(f"| Cell | Price | Note |\n|---|---|---|\n{rows}{last}")
    assert within.markdown.splitlines()[-1] == f"| advice | {BUYERS} [E1-1][E1-2]‡ | so |"


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        ("supported", "supported"),
        ("follows", "inferred"),
        ("absent", "inferred"),
        ("partly", "unverified"),
        ("contradicted", "unverified"),
        ("not_told", "unverified"),
    ],
)
def test_a_conclusion_that_its_premises_tell_is_supported_and_one_that_does_not_follow_is_unverified(
    verdict: Any, status: Status
) -> None:
    judgement = Judgement(verdict=verdict, words="4,200 cycles")
    said = f"{LONGER}.", ("E1-1", "E1-2")
    asked = check(f"{STATED} {LONGER} [⇒ E1-1, E1-2].")
    assert [key for key, doubt in asked.undecided.items() if doubt.inferred] == [said]
    judged = check(f"{STATED} {LONGER} [⇒ E1-1, E1-2].", judgements={said: judgement})
    assert judged.claims[-1].status == status
    worked_out = "At 2 cycles a day the sodium cell thus lasts 5.75 years."
    judgements = {(worked_out, ("E1-1", "E1-2")): judgement}
    numbered = check(f"{STATED} {worked_out[:-1]} [⇒ E1-1, E1-2].", judgements=judgements).claims[-1].status
    assert numbered == ("inferred" if status == "supported" else status)  # its number stands in no premise


def test_a_conclusion_may_work_out_a_number_in_several_steps_if_a_verifier_follows() -> None:
    said = "At 2 cycles a day the sodium cell thus lasts 5.75 years."
    written = f"{STATED} {said[:-1]} [⇒ E1-1, E1-2]."
    asked = check(written)
    assert asked.claims[-1].status == "unverified"
    assert asked.undecided[said, ("E1-1", "E1-2")].suspicion == "Not in what it cites: 5.75."
    judged = check(written, judgements={(said, ("E1-1", "E1-2")): Judgement(verdict="follows", words="4,200 cycles")})
    assert judged.claims[-1].status == "inferred"
    source = Source(url="test", title="Cell test", content_hash="cells", kind="document", fetched_at="")
    evidence = CitableEvidence(excerpts_of(QUOTES, "cells"), {"cells": source})
    ids = ("E1-1", "E1-2")
    assert doubt_of(judged.claims[-1], ids, evidence) == ""
    assert "5.75" in doubt_of(judged.claims[-1].model_copy(update={"judgement": None}), ids, evidence)


def test_a_conclusion_with_a_number_that_only_the_question_has_stays_one_whatever_a_model_finds() -> None:
    said = "The sodium cell thus lasts longer than the 7,777 cycles that were asked for."
    judgement = {(said, ("E1-1", "E1-2")): Judgement(verdict="supported", words="6,100 cycles")}
    checked = check(
        f"{STATED} {said[:-1]} [⇒ E1-1, E1-2].", judgements=judgement, question="Which cell lasts 7,777 cycles?"
    )
    assert checked.claims[-1].status == "inferred"


def test_an_unmarked_conclusion_is_marked_as_a_verifier_finds() -> None:
    judgement = {(f"{LONGER}.", ("E1-1", "E1-2")): Judgement(verdict="follows", words="6,100 cycles")}
    checked = check(f"{STATED} {LONGER} [E1-1][E1-2].", judgements=judgement)
    assert (checked.claims[-1].status, checked.claims[-1].verified) == ("inferred", True)


def test_a_sentence_that_a_conclusion_s_premises_cover_is_asked_of_as_one() -> None:
    checked = check(f"{STATED} {LONGER}. {BUYERS} [⇒ E1-1, E1-2]. It is warm in Varnby [E2-1].")
    asked = {words: doubt.inferred for (words, _), doubt in checked.undecided.items()}
    assert (asked[f"{LONGER}."], asked[f"{BUYERS}."]) == (True, True)
    assert not asked["It is warm in Varnby."]
