"""Code cites the one excerpt that supports a sentence which cites nothing, by the check of cited sentences, and no other."""

from typing import Any

import pytest

from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.code_citations import CodeCitations
from tests.services.reports.checking.conftest import check_citations, excerpts_of

QUOTES = {
    "E1-1": "In 2019 exports of Norland were 18.2 million tonnes. In 2021 they rose to 23.4 million tonnes.",
    "E1-2": "The ship Corvo sank in 1902 near Skagen. Eleven of its crew were saved by the lifeboat Freja.",
    "E2-1": "| Country | Deaths 2020 | Deaths 2021 |\n|---|---|---|\n| Sweden | 12 | 14 |\n| Denmark | 9 | 7 |",
    "E2-2": "2021年该港吞吐量为120万吨，比2020年增长了8%。",
    "E2-3": "Most of the harbour's trade was in timber until the railway came.",
}
MARK = "†"


def check(markdown: str, quotes: dict[str, str] = QUOTES, **choices: Any) -> CheckedReport:
    """Check a report about Norland."""
    return check_citations(markdown, excerpts_of(quotes), question="What happened in Norland?", **choices)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Exports rose to 23.4 million tonnes in 2021.", "Exports rose to 23.4 million tonnes in 2021 [E1-1]."),
        ("- The Corvo sank near Skagen in 1902.", "- The Corvo sank near Skagen in 1902 [E1-2]."),
        ("2021年该港吞吐量为120万吨。", "2021年该港吞吐量为120万吨[E2-2]。"),
        ("In 2021 the port handled 1.2 million tonnes.", "In 2021 the port handled 1.2 million tonnes [E2-2]."),
        (
            "| Country | Deaths 2021 |\n| --- | --- |\n| Sweden | 14 |",
            "| Country | Deaths 2021 |\n| --- | --- |\n| Sweden | 14 [E2-1] |",
        ),
        ("The Corvo sank in 1902. Exports rose to 23.4 million tonnes [E1-1].",
         "The Corvo sank in 1902 [E1-2]. Exports rose to 23.4 million tonnes [E1-1]."),
    ],
)  # fmt: skip
def test_the_excerpt_that_supports_a_sentence_is_cited(written: str, shown: str) -> None:
    checked = check(written)
    assert checked.markdown == shown
    assert checked.claims[0].cited_by == "code"
    assert all(claim.verified for claim in checked.claims)


@pytest.mark.parametrize(
    "written",
    [
        "Exports rose to 23.4 million tonnes in 2019.",
        "The Corvo did not sank near Skagen in 1902.",
        "The Corvo sank with 300 passengers on board.",
        "Ships are beautiful.",
        "They rose.",
        "没有其他港口增长得这么快。",
    ],
)
def test_a_sentence_that_no_excerpt_supports_stays_as_it_is(written: str) -> None:
    checked = check(written)
    assert not checked.claims[0].verified
    assert (checked.claims[0].citations, checked.claims[0].cited_by) == ([], None)
    assert "[E" not in checked.markdown


def test_a_count_of_what_stands_below_it_gets_no_citation_of_something_else() -> None:
    quotes = {**QUOTES, "E3-1": "Two ships of Norland were lost near Skagen, and two were sold."}
    written = "Two ships were lost there. The Corvo sank near Skagen in 1902 [E1-2]."
    assert "[E3-1]" not in check(written, quotes).markdown
    assert "[E3-1]" in check("Two ships of Norland were lost near Skagen.", quotes).markdown


def test_a_citation_of_the_writer_is_never_changed() -> None:
    checked = check("The Corvo sank in 1902 near Skagen [E2-3].")
    assert (checked.claims[0].citations, checked.claims[0].verified) == (["E2-3"], False)


def test_excerpts_with_one_quote_count_as_the_first() -> None:
    copies = {"E1-1": QUOTES["E1-2"], "E3-1": QUOTES["E1-2"]}
    assert check("The Corvo sank near Skagen in 1902.", copies).claims[0].citations == ["E1-1"]


def test_of_several_excerpts_that_support_a_sentence_the_nearest_is_cited() -> None:
    several = {"E1-1": "The old ship Corvo sank.", "E1-2": "The ship Corvo sank near Skagen in a storm."}
    assert check("The Corvo sank near Skagen.", several).claims[0].citations == ["E1-2"]


def test_a_section_cites_what_it_was_written_from() -> None:
    quotes = {"E1-1": "The ship Corvo sank near Skagen.", "E2-1": "The ship Corvo sank near Skagen in a storm."}
    excerpts = excerpts_of(quotes)
    citing = CodeCitations(list(excerpts.values()), {}, sections={"Wrecks": ["E2-1"], "Trade": []})
    said = "The Corvo sank near Skagen."
    checked = check(f"# T\n\n{said}\n\n## Wrecks\n\n### More\n\n{said}\n\n## Trade\n\n{said}", quotes, citing=citing)
    assert [claim.citations for claim in checked.claims] == [["E1-1"], ["E2-1"], []]


@pytest.mark.parametrize(("number", "found"), [("1902", []), ("1875", ["E1-2"])])
def test_output_of_a_program_is_not_found_for_its_numbers_from_nowhere(number: str, found: list[str]) -> None:
    only = {"E1-2": QUOTES["E1-2"]}
    [claim] = check("The Corvo sank near Skagen in 1902.", only, untraced={"E1-2": [number]}).claims
    assert claim.citations == found


def test_a_sentence_that_leads_its_paragraph_is_judged_by_what_that_cites_and_gets_no_other_citation() -> None:
    lead, last = "Trade and shipping changed.", "Exports rose to 23.4 million tonnes in 2021 [E1-1]."
    checked = check(f"{lead} {last}", QUOTES | {"E3-1": "Trade changed, and shipping changed, when storms came."})
    assert checked.markdown.startswith(f"{lead[:-1]}{MARK}. {last}")
    doubts = {words: (ids, doubt.uncited) for (words, ids), doubt in checked.undecided.items()}
    assert doubts[lead] == (("E1-1",), True)
    assert [uncited for _, uncited in doubts.values()].count(True) == 1
