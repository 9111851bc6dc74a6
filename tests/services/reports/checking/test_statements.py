"""Whatever states something is checked: headings, labels, table heads, questions, figures; and what is refuted is left out."""

from typing import Any

import pytest

from schemas.evidence import Judgement
from services.reports.checking.checked_report import CheckedReport
from tests.fakes.excerpts import whole
from tests.services.reports.checking.conftest import check_citations, excerpts_of, marked

QUOTES = {
    "E1-1": "In 2019 exports of Norland were 18.2 million tonnes. In 2021 they rose to 23.4 million tonnes.",
    "E1-2": "The ship Corvo sank in 1902 near Skagen. Eleven of its crew were saved by the lifeboat Freja.",
    "E1-3": "| Country | Deaths 2020 | Deaths 2021 |\n|---|---|---|\n| Sweden | 412 | 514 |\n| Denmark | 309 | 297 |",
    "E1-4": "2021年该港吞吐量为120万吨，比2020年增长了8%。",
}
EXCERPTS = excerpts_of(QUOTES)
MARK = "†"
EXPORTS = "Exports were 23.4 million tonnes in 2021 [E1-1]."
WRECK = "The Corvo sank in 1902 [E1-2]."


def check(markdown: str, **choices: Any) -> CheckedReport:
    """Check a report about Norland."""
    choices = {"question": "How did exports of Norland change?", **choices}
    return check_citations(markdown, EXCERPTS, titles={}, **choices)


def test_a_table_may_have_the_years_in_which_its_sources_were_published() -> None:
    quote = "The depth measured in 2010 is 10,984 metres. The paper came out in 2014."
    excerpts = excerpts_of({"E1-1": quote}, "a")
    rows = "|---|---|---|\n| 2014 | 10,984 m | depth of the paper [E1-1] |"
    checked = check_citations(f"| published | depth | of |\n{rows}", excerpts, published={"a": "2014-11-02"})
    assert marked(checked) == 0


def test_ids_in_a_chart_are_no_numbers() -> None:
    chart = '```chart\n{"type": "bar", "title": "Exports", "series": [{"values": [23.4]}], "sources": ["E1-1", "E1-16"]}\n```'
    assert marked(check(f"{EXPORTS}\n\n{chart}")) == 0


@pytest.mark.parametrize(
    "head", ["# Exports doubled to 40 million tonnes", "**Belgium bought 7,000 ships**", "## Why did 500 ships sink?"]
)
def test_a_heading_with_a_number_from_nowhere_is_left_out(head: str) -> None:
    checked = check(f"{head}\n\n{EXPORTS}")
    assert checked.markdown == EXPORTS
    assert len(checked.left_out) == 1


@pytest.mark.parametrize(
    "head", ["# Whales were hunted by everyone", "## Norland exported 18.2 million tonnes in 2021"]
)
def test_a_heading_is_never_marked_by_itself(head: str) -> None:
    assert check(f"{head}\n\n{EXPORTS}").markdown == f"{head}\n\n{EXPORTS}"


def test_a_citation_at_a_paragraph_s_end_covers_its_sentences_each_checked_by_itself() -> None:
    checked = check(f"They were 18.2 million tonnes in 2019. They were 99 million tonnes in 2020. {EXPORTS}")
    assert checked.markdown == (
        f"They were 18.2 million tonnes in 2019. They were 99 million tonnes in 2020{MARK}. {EXPORTS}"
    )
    assert [claim.citations for claim in checked.claims] == [["E1-1"], [], ["E1-1"]]
    assert [claim.status for claim in checked.claims] == ["supported", "unverified", "supported"]


def test_a_citation_covers_nothing_behind_it_and_nothing_that_it_does_not_support() -> None:
    assert check(f"{EXPORTS} They rose.").markdown == f"{EXPORTS} They rose{MARK}."
    checked = check(f"Whales are mammals that live long. {EXPORTS}")
    assert checked.claims[0].reason == "It cites nothing."
    assert checked.claims[0].citations == []


def test_a_sentence_that_its_verifier_refutes_leaves_its_citation_to_those_before_it() -> None:
    said = "In 2021 they fell to 23.4 million tonnes."
    judged = {(said, ("E1-1",)): Judgement(verdict="contradicted", words="rose")}
    checked = check(f"In 2019 exports were 18.2 million tonnes. {said[:-1]} [E1-1].", judgements=judged)
    assert checked.markdown == "In 2019 exports were 18.2 million tonnes [E1-1]."
    assert checked.contradicted == 1


def test_a_sentence_without_citation_is_judged_by_its_verifier_with_what_its_neighbours_cite() -> None:
    said = "The promise has a price."
    for verdict, shown in (("no_claim", said), ("supported", said), ("not_told", f"{said[:-1]}{MARK}.")):
        judged = {(said, ("E1-1",)): Judgement(verdict=verdict, words="")}
        assert check(f"{EXPORTS} {said}", judgements=judged).markdown == f"{EXPORTS} {shown}"


def test_numbers_without_a_citation_may_be_assumed_or_worked_out_if_a_verifier_finds_that_they_follow() -> None:
    said = "With a limit of 3,200 s and a run of 2,800 s, both assumptions, 400 s are left."
    for verdict, shown in (
        ("follows", f"{said[:-1]}‡."),
        ("partly", f"{said[:-1]}{MARK}."),
        ("not_told", f"{said[:-1]}{MARK}."),
    ):
        checked = check(f"{said} {EXPORTS}", judgements={(said, ("E1-1",)): Judgement(verdict=verdict, words="")})
        assert checked.markdown == f"{shown} {EXPORTS}"
    assert check(f"{said} {EXPORTS}").undecided[said, ("E1-1",)].inferred


def test_what_a_verifier_finds_left_open_is_no_matter_of_its_numbers() -> None:
    said = "In 2031 the promise is open."
    for verdict, shown in (("absent", said), ("not_told", f"{said[:-1]}{MARK}.")):
        judged = {(said, ("E1-1",)): Judgement(verdict=verdict, words="")}
        assert check(f"{said} {EXPORTS}", judgements=judged).markdown == f"{shown} {EXPORTS}"


def test_what_a_verifier_finds_to_state_nothing_is_no_statement_that_others_citations_prove() -> None:
    said = "With exports of Norland, and."
    for verdict, count in (("no_claim", 1), ("supported", 2)):
        checked = check(f"{said} {EXPORTS}", judgements={(said, ("E1-1",)): Judgement(verdict=verdict, words="")})
        assert checked.markdown == f"{said} {EXPORTS}"
        assert len(checked.claims) == count


def test_the_first_sentence_of_a_paragraph_is_covered_by_all_that_it_cites() -> None:
    first, *_ = check(f"Of the ship Corvo and of Norland much is told. {EXPORTS} {WRECK}").claims
    assert len(first.citations) == 2


def test_an_introduction_is_covered_by_the_list_below_it() -> None:
    listed = f"- {EXPORTS}\n- {WRECK}"
    assert check(f"The sources name two things:\n\n{listed}").markdown == f"The sources name two things:\n\n{listed}"
    assert marked(check(f"Of the ship Corvo and of Norland:\n\n{listed}")) == 0
    assert marked(check(f"Norland sold 77 ships to Queen Astrid:\n\n{listed}")) == 1


@pytest.mark.parametrize(("heads", "left"), [("2020 | 2021", "Denmark"), ("2021 | 2020", "Sweden")])
def test_a_row_is_read_with_the_heads_of_its_columns(heads: str, left: str) -> None:
    table = f"| Country | {heads} |\n|---|---|---|\n| Sweden [E1-3] | 514 | 412 |\n| Denmark [E1-3] | 309 | 297 |"
    rows = check(table).markdown.split("\n")[2:]
    assert [row.split()[1] for row in rows if MARK not in row] == [left]


@pytest.mark.parametrize(
    ("block", "holds"),
    [
        ("$$x = 18.2$$", True),
        ("$E = 523$", False),
        ("```mermaid\ngraph TD\nA[The Corvo] --> B[Sunk near Skagen]\n```", True),
        ("```mermaid\ngraph TD\nA[The Corvo] --> B[Sunk by Queen Astrid]\n```", False),
        ("```mermaid\ngraph TD\nA[Corvo] --> B[523 dead]\n```", False),
    ],
)
def test_a_figure_holds_numbers_and_names_of_the_evidence(block: str, holds: bool) -> None:
    assert marked(check(f"{block}\n\n{EXPORTS}")) == int(not holds)


def test_statements_in_chinese_are_checked_alike() -> None:
    checked = check(
        "## 2021年吞吐量为95万吨\n\n吞吐量为120万吨。比2020年增长8%[E1-4]。",
        question="港口吞吐量如何？",
        locale="zh-CN",
    )
    assert checked.markdown == "吞吐量为120万吨。比2020年增长8%[E1-4]。"
    assert [claim.status for claim in checked.claims] == ["supported", "supported"]


def test_a_verifier_decides_what_code_only_suspects_and_not_what_is_certain() -> None:
    suspected, certain = "Exports were 18.2 million tonnes in 2021.", "Exports were 77 million tonnes."
    judged = {(text, ("E1-1",)): Judgement(verdict="supported", words="rose") for text in (suspected, certain)}
    checked = check(f"{suspected[:-1]} [E1-1]. {certain[:-1]} [E1-1].", judgements=judged)
    assert [claim.status for claim in checked.claims] == ["supported", "unverified"]
    assert [key for key, doubt in checked.undecided.items() if doubt.suspicion] == [(suspected, ("E1-1",))]


def test_a_row_that_fails_is_a_case_for_the_editor_and_a_refuted_statement_is_one_once() -> None:
    wrong = "Exports were 99.9 million tonnes in 2021"
    rows = "| year | exports |\n|---|---|\n| 2021 | 99.9 million tonnes [E1-1] |"
    assert [claim.text for claim in check(rows).failed] == ["2021 | 99.9 million tonnes"]
    refuted = {(wrong + ".", ("E1-1",)): Judgement(verdict="contradicted", words="23.4 million tonnes")}
    checked = check(f"{wrong} [E1-1].", judgements=refuted)
    fallen = {id(claim) for claim in [*checked.failed, *checked.left_out]}
    assert len(fallen) == 1


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (f"**Trade grew fast.** {EXPORTS}", "Exports were 23.4 million tonnes in 2021."),
        ("**吞吐量上升。**2021年该港吞吐量为120万吨[E1-4]。", "2021年该港吞吐量为120万吨。"),
        ("**吞吐量**。2021年该港吞吐量为120万吨[E1-4]。", "2021年该港吞吐量为120万吨。"),
        (f"**Trade**. {EXPORTS}", "Exports were 23.4 million tonnes in 2021."),
    ],
)
def test_a_sentence_in_bold_that_heads_a_paragraph_is_a_heading(written: str, text: str) -> None:
    checked = check(written)
    assert ([claim.text for claim in checked.claims], checked.markdown) == ([text], written)


def test_without_a_verifier_an_unknown_name_is_marked_and_a_verifier_is_not_told_of_it() -> None:
    checked = check("The Karlsund sank near Skagen [E1-2].")
    assert [claim.status for claim in checked.claims] == ["unverified"]
    assert "Karlsund" in checked.claims[0].reason
    assert [doubt.suspicion for doubt in checked.undecided.values()] == [""]


def test_a_citation_behind_a_quotation_stays_behind_its_mark() -> None:
    said = f'The minister said: "{EXPORTS.partition(" [")[0].rstrip(".")}!" [E1-1] {WRECK}'
    assert '!" [E1-1]' in check(said).markdown


def test_the_number_of_a_section_names_it_so_that_a_verifier_decides_and_a_quantity_from_nowhere_stays_unproved() -> (
    None
):
    numbered, wrong = "By section 2.5.8 exports were 23.4 million tonnes.", "Exports were 24.3 million tonnes."
    checked = check(f"{numbered[:-1]} [E1-1]. {wrong[:-1]} [E1-1].")
    assert marked(checked) == 2
    assert list(checked.undecided) == [(numbered, ("E1-1",))]
    told = {(numbered, ("E1-1",)): Judgement(verdict="supported", words="23.4 million tonnes")}
    assert [claim.verified for claim in check(checked.markdown, judgements=told).claims] == [True, False]


@pytest.mark.parametrize(
    ("head", "ids"), [("# Exports doubled fast\n\n", ("E1-1", "E1-2")), ("**Exports doubled fast.** ", ("E1-1",))]
)
def test_a_verifier_judges_a_title_and_a_lead_by_what_stands_below_them(head: str, ids: tuple[str, ...]) -> None:
    words = head.strip(" #*\n")
    written = f"{head}{EXPORTS}\n\n{WRECK}"
    assert check(written).undecided[words, ids].uncited
    partly = check(written, judgements={(words, ids): Judgement(verdict="partly", words="they rose")})
    assert [claim.text for claim in partly.failed] == [words]
    assert (partly.markdown, partly.left_out, marked(partly)) == (written, [], 0)
    refuted = check(written, judgements={(words, ids): Judgement(verdict="contradicted", words="they rose")})
    assert refuted.markdown == f"{EXPORTS}\n\n{WRECK}"
    held = check(written, judgements={(words, ids): Judgement(verdict="supported", words="they rose")})
    assert (held.failed, held.markdown, held.connecting) == ([], written, [words])
    assert list(check(f"**Exports.** {EXPORTS}").undecided) == [
        ("Exports were 23.4 million tonnes in 2021.", ("E1-1",))
    ]


def test_a_paragraph_that_cites_nothing_leads_to_what_stands_below_it() -> None:
    leading = "Both the trade and the ships changed."
    checked = check(f"## Changes\n\n{leading}\n\n{EXPORTS}\n\n{WRECK}\n\n## More\n\n{EXPORTS}")
    assert checked.undecided[leading, ("E1-1", "E1-2")].uncited


@pytest.mark.parametrize(
    ("verdict", "status"), [("absent", ""), ("no_claim", ""), ("supported", "unverified"), ("not_told", "unverified")]
)
def test_in_a_section_that_cites_nothing_a_verifier_may_find_that_a_sentence_tells_what_is_missing(
    verdict: Any, status: str
) -> None:
    lack = "Why the ferry of Hav was sold was not found."
    written = f"{EXPORTS}\n\n## Not found\n\n- {lack}"
    asked = check(written)
    assert asked.undecided[lack, ()].uncited
    judged = check(written, judgements={(lack, ()): Judgement(verdict=verdict, words="rose to 23.4 million tonnes")})
    assert [claim.status for claim in judged.claims if claim.text == lack] == ([status] if status else [])
    assert ("†" in judged.markdown) is bool(status)


def test_the_heading_above_a_quote_proves_a_number_as_its_words_do() -> None:
    quote = "The step of allocation can be set."
    said = "The step of allocation can be set from v5.0 on [E1-1]."
    assert marked(check_citations(said, {"E1-1": whole(quote)})) == 1
    assert marked(check_citations(said, {"E1-1": whole(quote, section="From v5.0 on")})) == 0
