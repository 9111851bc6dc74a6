"""What is right is neither marked nor removed, and what a check trips over ends no report: kinds seen in reports of strong models."""

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from schemas.evidence import Judgement
from services.reports.checking.checked_report import CheckedReport
from tests.services.reports.checking.conftest import check_citations, excerpts_of

PENALTY = "The penalty of the free-threaded build is around 10% on Linux."
LOCKS = "Extensions that use borrowed references without the GIL need explicit locking."
RELY = "Extensions that rely on the GIL need explicit locking."


def check(markdown: str, quotes: Sequence[str], **choices: Any) -> CheckedReport:
    """Check a report that cites quotes as E1-1, E1-2, …, all of one source."""
    return check_citations(
        markdown, excerpts_of(quotes, "pep"), question="How is it?", **{"titles": {"pep": "A proposal"}, **choices}
    )


def states(checked: CheckedReport) -> list[str]:
    """Return the status of every claim, of those that were removed as well."""
    return [claim.status for claim in [*checked.claims, *checked.left_out]]


def test_a_fault_of_a_check_leaves_the_statement_unproved_and_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(text: str, quotes: Sequence[str]) -> float:
        raise IndexError(text)

    with caplog.at_level(logging.ERROR, "leadline"):
        checked = check(
            "It went home quickly [E1-1]. It is deep [E1-2].", ["钢丝取代了麻绳。", "It is deep."], likeness=broken
        )
    assert states(checked) == ["unverified", "quoted"]
    assert checked.claims[0].reason == "The check of this sentence failed with an error; the log has it."
    [line] = [record.getMessage() for record in caplog.records]
    assert line.startswith("claim_check_failed")
    assert "IndexError" in line
    assert "went home" not in line


@pytest.mark.parametrize(
    ("quote", "sentence"),
    [
        (
            "In the case of controversial PEPs where a clear consensus does not arrive, ultimate authority\n"
            "on PEPs authored by the GUIDO rests with the CoP.",
            "In the case of controversial PEPs where a clear consensus does not arrive, ultimate authority "
            "on PEPs authored by the GUIDO rests with the CoP",
        ),
        (
            "Pipes were slow. The outer ``x`` is a valid type alias, because the class can't define it.",
            "The outer `x` is a valid type alias, because the class can’t define it",
        ),
        (
            "- Recommend not truncating type names in new C code.\n- Wait.",
            "Recommend not truncating type names in new C code",
        ),
    ],
)
def test_what_stands_word_for_word_in_its_quote_is_quoted_whatever_a_rule_says(quote: str, sentence: str) -> None:
    assert states(check(f"{sentence} [E1-1].", [quote])) == ["quoted"]


def test_a_part_of_a_sentence_is_not_quoted() -> None:
    decided = "It is not so that the council of the port has decided in its session\nMarstal closes its pier."
    assert "quoted" not in states(check("Marstal closes its pier [E1-1].", [decided]))
    closed = "The pier is closed ... and nobody knows why it is not open."
    assert "quoted" not in states(check("The pier is closed and open [E1-1].", [closed]))


def test_code_alone_removes_nothing() -> None:
    said = f"{RELY[:-1]} [E1-1]."
    waiting = check(said, [LOCKS])
    assert waiting.left_out == []
    assert list(waiting.undecided) == [(RELY, ("E1-1",))]
    for verdict, status in (("supported", "supported"), ("contradicted", "contradicted"), ("partly", "unverified")):
        judged = {(RELY, ("E1-1",)): Judgement(verdict=verdict, words="need explicit locking")}
        assert states(check(said, [LOCKS], judgements=judged)) == [status]


def test_numbers_of_a_source_s_title_count_as_evidence() -> None:
    said = "PEP 779 finds a penalty of the free-threaded build of around 10% [E1-1]."
    assert states(check(said, [PENALTY])) == ["unverified"]
    assert states(check(said, [PENALTY], titles={"pep": "PEP 779"})) == ["supported"]


@pytest.mark.parametrize(("above", "is_asked"), [("## Gains\n\n", True), ("Before.\n\n", False)])
def test_the_first_sentence_of_a_section_sums_up_all_its_paragraphs(above: str, is_asked: bool) -> None:
    first, other = "The drum was built in 1872 by Lucas.", "The wire replaced the rope in 1899."
    paragraphs = f"From 1872 to 1899 sounding changed. {first} [E1-1]\n\n{other} [E1-2]"
    checked = check(f"# Sounding\n\n## Before\n\nIt was slow.\n\n{above}{paragraphs}", [first, other])
    lead = ("From 1872 to 1899 sounding changed.", ("E1-1", "E1-2"))
    assert (lead in checked.undecided) is is_asked, "else a number is missing"


@pytest.mark.parametrize(
    ("heads", "row", "other"),
    [
        ("| Line | lost_85_99 | dead_85_99 | lost_00_14 | dead_00_14 |", "| Lir | 2 | 0 | 0 | 0 |", "| Sol | 7 | 14 | 6 | 8 |"),
        ("| Film | Role | Age | Year | Votes |", "| Boo | Ann | 29 | 2016 | 5 |", "| Boo | Boo | 31 | 2016 | 4 |"),
        ("| Group | Town | 2020 | Notes | 2021 |", "| 6 | Ulm | 3 |  | 14 |", "| 14 | Six | 3 | 0 | 2 |"),
    ],
)  # fmt: skip
def test_a_row_that_stands_in_the_cited_table_is_quoted(heads: str, row: str, other: str) -> None:
    table = f"{heads}\n|---|---|---|---|---|\n{row}\n{other}"
    assert states(check(table.replace("_", r"\_").replace(row, f"{row[:-1]}[E1-1] |"), [table]))[0] == "quoted"
