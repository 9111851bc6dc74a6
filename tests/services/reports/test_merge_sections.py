"""Joining sections: what is said twice goes, terms become one, and no section is lost."""

import pytest

from schemas.reporter_joining import Joining, TermChange
from services.reports.labels import CHINESE, ENGLISH
from services.reports.merge_sections import merge_sections, number_paragraphs, shown_sections
from services.reports.rendering import to_draft

SECTIONS = [
    ("One", "First [E1-1].\n\nAgain, in other words [E1-1].\n\n```mermaid\na\n\nb\n```"),
    ("Two", "Second [E2-1].\n\nFirst [E1-2].\n\n> “The lead line.” [E2-2]\n\nThe lead line."),
]


def join(**mending: object) -> str:
    joining = Joining.model_validate({"title": "T", "summary": "S.", **mending})
    return to_draft(merge_sections(number_paragraphs(SECTIONS, {}), joining, ENGLISH, {}))


def test_paragraphs_are_numbered_throughout_and_fences_stay_whole() -> None:
    texts = shown_sections(number_paragraphs(SECTIONS, {}))
    assert [[one.number for one in section.paragraphs] for section in texts] == [[1, 2, 3], [4, 5, 6]]
    assert texts[0].paragraphs[2].text == "```mermaid\na\n\nb\n```"


def test_a_paragraph_that_another_one_repeats_word_for_word_goes() -> None:
    assert join().count("First") == 1


def test_paragraphs_that_are_named_as_repetitions_go_but_never_a_section() -> None:
    assert "in other words" not in join(repeated=[2])
    text = join(repeated=[1, 2, 3, 4, 5, 6])
    assert "First" in text
    assert "Second" in text
    assert sum(one in text for one in ("other words", "mermaid", "“The lead line.”", "The lead line.")) >= 3


def test_terms_are_written_alike_except_in_quotes() -> None:
    text = join(terms=[{"written": "lead line", "instead": "sounding line"}])
    assert "The sounding line." in text
    assert "“The lead line.”" in text


@pytest.mark.parametrize("change", [("1872", "1873"), ("[E1-1]", ""), ("", "x"), ("First", "F" * 80), ("First", "5")])
def test_a_change_of_terms_that_could_change_facts_is_left_alone(change: tuple[str, str]) -> None:
    assert join(terms=[TermChange(written=change[0], instead=change[1])]) == join()


def test_the_report_opens_with_what_answers() -> None:
    joining = Joining(title="题", summary="简。", conclusion="结。")
    text = to_draft(merge_sections(number_paragraphs(SECTIONS, {}), joining, CHINESE, {}))
    assert text.startswith("# 题\n\n**TL;DR** 简。\n\n## 结论\n\n结。\n\n## One\n\nFirst [E1-1].")
