"""The draft that a report keeps, from which a change begins, and the difference between two reports."""

from dataclasses import replace

import pytest

from schemas.document import Document, Paragraph
from schemas.evidence import Judgement
from schemas.revision import Revision
from schemas.usage import Usage
from services.reports.editing import headings_of, shortened, without_section
from services.reports.markdown import finish_report
from services.reports.markdown_blocks import read_draft
from services.reports.numbered_text import compared
from services.reports.rendering import to_draft
from services.reports.sentences import words_of
from services.run.errors import RevisionRefused
from services.turn.revision import changed_by_code
from tests.fakes.excerpts import whole
from tests.services.reports.conftest import Finished, Make
from tests.services.reports.full import chinese, english


def test_a_draft_is_the_reports_own_text_without_marks_and_with_those_of_inferences(finished: Finished) -> None:
    body = (
        "# T\n\n## A\n\nIt went on to Japan [E1-2]. Nobody painted the wire green [E2-1]. It was deep [E1-1].\n\n"
        "The wire made soundings near Guam quicker [inferred: E1-1, E2-1]."
    )
    report = finished(body, opening="No advice.")
    assert "No advice." in report.markdown
    assert "†" in report.markdown
    assert report.document
    assert to_draft(report.document.body) == (
        "# T\n\n## A\n\nIt went on to Japan [E1-2]. Nobody painted the wire green [E2-1]. It was deep [E1-1].\n\n"
        "The wire made soundings near Guam quicker [E1-1][E2-1][⇒]."
    )


@pytest.mark.parametrize(
    "body",
    [
        "# T\n\n## A\n\nIt went on to Japan [E1-2]. Nobody painted the wire green [E2-1]. The wire replaced the hemp line.\n\n"
        "The wire made soundings near Guam quicker [inferred: E1-1, E2-1].",
        "# T\n\n## A\n\n- It went on to Japan [E1-2].\n- The piano wire of Lucas replaced the hemp line [E2-1].\n\n"
        "| a | b |\n|---|---|\n| Japan | it went on [E1-2] |\n| Mars | a green place [E1-2] |\n\n> It went on to Japan. [E1-2]",
        "# 深度\n\n2018年8月30日，教育部等八部门印发实施方案[E3-1]。小学生都住在火星上[E3-1]。",
    ],
)
def test_a_report_made_of_the_draft_of_another_has_the_same_text_and_claims(
    draft: Make, finished: Finished, body: str
) -> None:
    first = finished(body)
    assert first.document
    again = finish_report(replace(draft(""), blocks=first.document.body, former=first), Usage())
    assert again.document == first.document
    assert again.citations == first.citations
    assert again.markdown == first.markdown


def test_statements_that_stay_keep_what_the_check_said_and_others_are_checked(finished: Finished) -> None:
    first = finished("# T\n\nIt went on to Japan [E1-2].\n\nNobody painted the wire green [E2-1].")
    kept = Judgement(verdict="supported", words="It went on to Japan.")
    judged = [claim.model_copy(update={"status": "supported", "judgement": kept}) for claim in first.citations[:1]]
    former = first.model_copy(update={"citations": [*judged, *first.citations[1:]]})
    assert first.document
    changed = to_draft(first.document.body).replace("Nobody painted", "99 men painted")
    claims = finished(changed, former=former).citations
    assert claims[0] == judged[0]
    assert (claims[1].text, claims[1].status) == ("99 men painted the wire green.", "unverified")


LABELLED = """# Title

**TL;DR** It is so [E1-1].

## Conclusion

It cost 5 crowns [E1-1]. It was much [E1-2]. It was paid [E1-3].

More of it [E1-2].

## Evidence

**The first paper** [E1-1]

> It cost 5 crowns. [E1-1]

**The second paper** [E1-3]

> It cost 6 crowns. [E1-3]

## List

- a [E1-1]
- b [E1-1]
- c [E1-1]

| a | b |
| --- | --- |
| 1 | 2 [E1-1] |

### Inner

| a | b |
| --- | --- |
| 1 | 2 [E1-1] |
| 3 | 4 [E1-1] |

## Sources

**The third paper** [E1-4]"""


def test_a_shortened_draft_keeps_the_opening_and_the_beginning_of_sections() -> None:
    kept = LABELLED
    for left_out in (
        " It was paid [E1-3].\n\nMore of it [E1-2].",
        "\n\n**The second paper** [E1-3]\n\n> It cost 6 crowns. [E1-3]",
        "\n- c [E1-1]\n\n| a | b |\n| --- | --- |\n| 1 | 2 [E1-1] |",
        "\n\n## Sources\n\n**The third paper** [E1-4]",
    ):
        kept = kept.replace(left_out, "")
    assert to_draft(shortened(read_draft(LABELLED))) == kept


def test_a_section_is_left_out_with_those_inside_it_and_one_that_held_nothing_else() -> None:
    outer = without_section(read_draft("# T\n\n## A\n\n### B\n\nb\n\n## C\n\nc"), "B")
    assert outer is not None
    assert headings_of(outer) == ["C"]
    text = without_section(read_draft(LABELLED), "List")
    assert text is not None
    assert headings_of(text) == ["Conclusion", "Evidence", "Sources"]
    assert without_section(read_draft(LABELLED), "Title") is None
    assert without_section(read_draft(LABELLED), "Costs") is None
    fenced = "# T\n\n```text\n## A\n```\n\n## B\n\nb"
    assert without_section(read_draft(fenced), "A") is None


def test_the_same_text_has_no_difference_whatever_its_sources_are_called() -> None:
    moved = [source.model_copy(update={"url": "elsewhere.md"}) for source in english().sources]
    assert {said.state for said in compared(english(), english().model_copy(update={"sources": moved}))} == {"same"}
    assert {said.state for said in compared(english(), chinese())} >= {"removed", "added"}


def test_a_difference_names_the_summary_as_the_report_is_shown() -> None:
    shorter = english().model_copy(update={"document": Document(read_draft("# T\n\n**TL;DR** It is deep."))})
    told = [said.text for said in compared(english(), shorter)]
    assert any(line.startswith("**In short**: ") for line in told)
    assert not any("TL;DR" in line for line in told)


def test_a_report_without_sections_is_not_said_to_have_some() -> None:
    flat = english().model_copy(update={"document": Document(read_draft("# T\n\nIt is deep."))})
    for revision, said in (
        (Revision(request="x", without="Costs"), "The report has no sections, so none can be removed."),
        (Revision(request="In German"), "this report can only be shortened"),
    ):
        with pytest.raises(RevisionRefused, match=said):
            changed_by_code(flat, revision, by_rules=True)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Write `package[]`, or call setup() first [E1-1].", "Write `package[]`, or call setup() first [E1-1]."),
        ("It was deep ([7]). It was green.", "It was deep. It was green."),
        ("它很深（[3]）。", "它很深。"),
        ("A keeps [1, 30000] ids [E1-1], B none ([1, 2]).", "A keeps [1, 30000] ids [E1-1], B none."),
        ("取 [2, 30001] [E1-1]，不取（[3, 9]）。", "取 [2, 30001] [E1-1]，不取。"),
        (
            "It sank near Vaasa.[4][5] Her bell [6] was saved [4].",
            "It sank near Vaasa.[4\\][5] Her bell [6] was saved.",
        ),
    ],
    ids=[
        "a name's own",
        "around a citation",
        "in Chinese",
        "a range of the evidence",
        "with another comma",
        "a mark of the evidence",
    ],
)
def test_brackets_go_only_with_the_citation_that_they_held(written: str, read: str) -> None:
    quote = "It was deep, [1,30000] or [2，30001]. It sank near Vaasa.[4][5] Her bell [[6]](https://example.org/bell) was saved [8]."
    assert to_draft(read_draft(written, {"E1-1": whole(quote)})) == read


@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("It returns `Option‹Result<T>>` ❴ [E1-1].", "It returns `Option<Result<T>>` ❴ [E1-1]."),
        ("```\nfn f() ❴ ‹b> }\n```", "```\nfn f() { <b> }\n```"),
        ("`« ‹ dit-elle › »` [E1-1]", "`« ‹ dit-elle › »` [E1-1]"),
    ],
    ids=["in a line", "in a block", "quotation marks"],
)
def test_brackets_that_a_prompt_shows_in_another_form_are_put_right_in_code(shown: str, read: str) -> None:
    assert to_draft(read_draft(shown, {"E1-1": whole("It was deep.")})).strip() == read


def test_a_stop_in_code_keeps_the_blank_before_it_and_a_citation_leaves_none() -> None:
    [paragraph] = read_draft("It proposed `?` and `.` in 2014 [E1-1], and more [E1-1].", {})
    assert isinstance(paragraph, Paragraph)
    assert words_of(paragraph.content) == "It proposed ? and . in 2014, and more."


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The line.[^1]\n\n[^1]: The owner was Thomson.", "The line.\n\nThe owner was Thomson."),
        ("See [a link](javascript:alert(1)) here.", "See a link here."),
        ("See ![a chart](data:text/html,x) here.", "See a chart here."),
    ],
)
def test_of_links_and_footnotes_the_words_stay(written: str, read: str) -> None:
    assert to_draft(read_draft(written)).strip() == read
