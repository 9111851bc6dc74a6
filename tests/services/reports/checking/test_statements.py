"""Whatever states something is checked: headings, labels, table heads, questions, figures; and what is refuted is left out."""

import pytest

from schemas.evidence import Excerpt, Judgement
from services.reports.checking.checked_report import CheckedReport
from services.reports.checking.citations import check_citations

QUOTES = {
    "E1-1": "In 2019 exports of Norland were 18.2 million tonnes. In 2021 they rose to 23.4 million tonnes.",
    "E1-2": "The ship Corvo sank in 1902 near Skagen. Eleven of its crew were saved by the lifeboat Freja.",
    "E1-3": "| Country | Deaths 2020 | Deaths 2021 |\n|---|---|---|\n| Sweden | 12 | 14 |\n| Denmark | 9 | 7 |",
    "E1-4": "2021年该港吞吐量为120万吨，比2020年增长了8%。",
}
EXCERPTS = {
    key: Excerpt(id=key, content_hash=key, quote=quote, start=0, end=len(quote)) for key, quote in QUOTES.items()
}
MARK = " (⚠ unverified)"
EXPORTS = "Exports were 23.4 million tonnes in 2021 [E1-1]."
WRECK = "The Corvo sank in 1902 [E1-2]."


def check(markdown: str, **choices: object) -> CheckedReport:
    """Check a report about Norland."""
    choices = {"question": "How did exports of Norland change?", **choices}
    return check_citations(markdown, EXCERPTS, titles={}, **choices)  # type: ignore[arg-type]  # of several types


@pytest.mark.parametrize(
    "head",
    [
        "## Exports",
        "## Exports of Norland by year",
        "## What was found",
        "## Exports rose to 23.4 million tonnes",
        "## How Did Exports Change?",
        "## Causes And Effects Of The Change",
        "**Key figures**",
    ],
)
def test_a_heading_that_names_a_topic_or_that_its_section_supports_stands(head: str) -> None:
    assert check(f"{head}\n\n{EXPORTS}").markdown == f"{head}\n\n{EXPORTS}"


def test_a_heading_that_is_the_title_of_a_source_is_no_claim() -> None:
    head = "## Norland at sea: the lost years from 1931 to 1944"
    for titles, mark in (({"b": "Norland at sea: The Lost Years, from 1931 to 1944"}, ""), ({"b": "Norland"}, MARK)):
        checked = check_citations(f"{head}\n\n{EXPORTS}", EXCERPTS, titles=titles, question="")
        assert checked.markdown.split("\n")[0] == f"{head}{mark}"


def test_a_table_may_have_the_years_in_which_its_sources_were_published() -> None:
    quote = "The depth measured in 2010 is 10,984 metres. The paper came out in 2014."
    excerpts = {"E1-1": Excerpt(id="E1-1", content_hash="a", quote=quote, start=0, end=len(quote))}
    rows = "|---|---|---|\n| 2014 | 10,984 m | depth of the paper [E1-1] |"
    for head, failing in (("published", 0), ("year", 1)):
        checked = check_citations(f"| {head} | depth | of |\n{rows}", excerpts, published={"a": "2014-11-02"})
        assert checked.marked == failing


def test_ids_in_a_chart_are_no_numbers() -> None:
    chart = '```chart\n{"type": "bar", "title": "Exports", "series": [{"values": [23.4]}], "sources": ["E1-1", "E1-16"]}\n```'
    assert check(f"{EXPORTS}\n\n{chart}").marked == 0


@pytest.mark.parametrize(
    "head",
    [
        "## Exports doubled to 40 million tonnes",
        "**Belgium bought 7,000 ships**",
        "## Why did 500 ships sink?",
        "## The old fleet of the late Queen Astrid",
        "## Whales were hunted by everyone",
    ],
)
def test_a_heading_that_says_more_than_its_section_is_marked(head: str) -> None:
    checked = check(f"{head}\n\n{EXPORTS}")
    assert checked.markdown.split("\n")[0] == f"{head}{MARK}"
    assert checked.claims[0].citations == ["E1-1"]


def test_a_heading_is_held_to_its_own_section() -> None:
    checked = check(f"## Loss of the Corvo in 1902\n\n{EXPORTS}\n\n## Loss of the Corvo, 1902\n\n{WRECK}")
    assert checked.markdown.count(MARK) == 1
    assert checked.markdown.startswith(f"## Loss of the Corvo in 1902{MARK}")


def test_a_heading_that_its_section_refutes_is_left_out() -> None:
    checked = check(f"## Norland exported 18.2 million tonnes in 2021\n\n{EXPORTS}")
    assert checked.markdown == EXPORTS
    assert [(claim.status, claim.text) for claim in checked.left_out] == [
        ("contradicted", "Norland exported 18.2 million tonnes in 2021")
    ]


def test_a_citation_at_a_paragraph_s_end_covers_its_sentences_each_checked_by_itself() -> None:
    checked = check(f"They were 18.2 million tonnes in 2019. They were 99 million tonnes in 2020. {EXPORTS}")
    assert checked.markdown == (
        f"They were 18.2 million tonnes in 2019. They were 99 million tonnes in 2020.{MARK} {EXPORTS}"
    )
    assert [claim.citations for claim in checked.claims] == [["E1-1"]] * 3
    assert [claim.status for claim in checked.claims] == ["supported", "unverified", "supported"]


def test_a_citation_covers_nothing_behind_it_and_nothing_that_it_does_not_support() -> None:
    assert check(f"{EXPORTS} They rose.").markdown == f"{EXPORTS} They rose.{MARK}"
    checked = check(f"Whales are mammals that live long. {EXPORTS}")
    assert checked.claims[0].reason == "It cites nothing."
    assert checked.claims[0].citations == []


def test_a_sentence_that_cites_for_others_leaves_its_citation_to_them_when_it_is_left_out() -> None:
    checked = check("In 2019 exports were 18.2 million tonnes. In 2021 they fell to 23.4 million tonnes [E1-1].")
    assert checked.markdown == "In 2019 exports were 18.2 million tonnes [E1-1]."
    assert checked.contradicted == 1


def test_an_introduction_is_covered_by_the_list_below_it() -> None:
    listed = f"- {EXPORTS}\n- {WRECK}"
    assert check(f"The sources name two things:\n\n{listed}").markdown == f"The sources name two things:\n\n{listed}"
    assert check(f"Of the ship Corvo and of Norland:\n\n{listed}").marked == 0
    assert check(f"Norland sold 77 ships to Queen Astrid:\n\n{listed}").marked == 1


@pytest.mark.parametrize(
    ("table", "left"),
    [
        (
            "| Country | 2020 | 2021 |\n|---|---|---|\n| Sweden [E1-3] | 14 | 12 |\n| Denmark [E1-3] | 9 | 7 |",
            "Denmark",
        ),
        ("| Country | 2021 | 2020 |\n|---|---|---|\n| Sweden [E1-3] | 14 | 12 |\n| Denmark [E1-3] | 9 | 7 |", "Sweden"),
    ],
)
def test_a_row_is_read_with_the_heads_of_its_columns(table: str, left: str) -> None:
    checked = check(table)
    assert [row.split()[1] for row in checked.markdown.split("\n")[2:]] == [left]
    assert checked.contradicted == 1


def test_a_table_s_head_is_checked_by_its_rows() -> None:
    table = "| Country | Deaths in 1850 |\n|---|---|\n| Sweden [E1-3] | 14 |"
    assert f"Deaths in 1850{MARK}" in check(table).markdown


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
    assert check(f"{block}\n\n{EXPORTS}").marked == int(not holds)


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("The sources do not say why the Corvo sank.", True),
        ("The sources do not say more, so exports fell in 2021.", False),
        ("The sources say nothing more; whales were hunted by everyone.", False),
        ("现有证据没有说明具体方法。", True),
        ("现有证据没有说明原因，因此港口已经关闭。", False),
        ("Did 500 people die?", False),
        ("How did exports of Norland change?", True),
    ],
)
def test_what_says_that_nothing_is_known_or_asks_may_state_nothing_besides(sentence: str, holds: bool) -> None:
    assert check(f"{EXPORTS}\n\n{sentence}").marked == int(not holds)


def test_statements_in_chinese_are_checked_alike() -> None:
    checked = check(
        "## 2021年吞吐量为95万吨\n\n吞吐量为120万吨。比2020年增长8%[E1-4]。",
        question="港口吞吐量如何？",
        locale="zh-CN",
    )
    assert checked.markdown == "## 2021年吞吐量为95万吨 （⚠ 未核实）\n\n吞吐量为120万吨。比2020年增长8%[E1-4]。"
    assert [claim.status for claim in checked.claims] == ["unverified", "supported", "supported"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Eleven of its crew were saved by the lifeboat Freja", "quoted"),
        ("its crew were saved by the lifeboat Freja", "supported"),
        ("The Corvo sank near Skagen", "supported"),
    ],
)
def test_quoted_is_a_whole_sentence_of_a_source(words: str, status: str) -> None:
    assert [claim.status for claim in check(f"{words} [E1-2].").claims] == [status]


def test_a_model_s_verdict_stands_only_where_code_has_no_veto() -> None:
    judged = {
        (text, ("E1-1",)): Judgement(verdict="supported", words="rose")
        for text in (
            "Trade grew markedly.",
            "Exports were 77 million tonnes.",
            "Exports were 18.2 million tonnes in 2021.",
        )
    }
    markdown = " ".join(f"{text[:-1]} [E1-1]." for text, _ in judged)
    checked = check(markdown, judgements=judged)
    assert [(claim.status, claim.text.split()[0]) for claim in checked.claims] == [
        ("supported", "Trade"),
        ("unverified", "Exports"),
        ("unverified", "Exports"),
    ]
    assert checked.left_out == []


def test_a_sentence_that_is_written_anew_is_checked_in_its_place() -> None:
    rewritten = {"Exports were 77 million tonnes.": "Exports were 23.4 million tonnes in 2021 [E1-1].", "It sank.": ""}
    checked = check("Exports were 77 million tonnes [E1-1]. It sank [E1-2].", rewritten=rewritten)
    assert checked.markdown == "Exports were 23.4 million tonnes in 2021 [E1-1]."
    assert [claim.text for claim in checked.left_out] == ["It sank."]
