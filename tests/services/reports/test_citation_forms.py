"""Citations are read in the forms that models write, in English and Chinese, and nothing else is taken for one."""

import pytest

from services.reports.citation_forms import inferences_in_words, plain_citations

KNOWN = {"E1-1", "E1-2", "E2-1", "B0-1"}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("The ship sank (E1-1).", "The ship sank [E1-1]."),
        ("The ship sank [E1-1, E1-2].", "The ship sank [E1-1][E1-2]."),
        ("The ship sank ([E1-1], [E1-2]).", "The ship sank [E1-1][E1-2]."),
        ("The ship sank【E1-1】.", "The ship sank[E1-1]."),
        ("The ship sank [^E1-1].", "The ship sank [E1-1]."),
        ("The ship sank[^1] [E1-1], [E1-2].", "The ship sank[^1] [E1-1][E1-2]."),
        ("The ship sank [e1–1].", "The ship sank [E1-1]."),
        ("The ship sank [E1-1](#e1-1).", "The ship sank [E1-1]."),
        ("The ship sank (see excerpts E1-1 and E1-2).", "The ship sank [E1-1][E1-2]."),
        ("The ship sank `E1-1`.", "The ship sank [E1-1]."),
        ("According to E1-1, the ship sank.", "According to [E1-1], the ship sank."),
        ("| E1-1 | 1902 |", "| [E1-1] | 1902 |"),
        ("The ship (built in 1870 [E1-1]) sank.", "The ship (built in 1870 [E1-1]) sank."),
        ("船沉没了（E1-1）。", "船沉没了[E1-1]。"),
        ("船沉没了［E1-1、E1-2］。", "船沉没了[E1-1][E1-2]。"),
        ("船沉没了（参见摘录E1-1和E1-2）。", "船沉没了[E1-1][E1-2]。"),
        ("由e1—1可知，船沉没了。", "由[E1-1]可知，船沉没了。"),
        ("The ship sank (E9-9).", "The ship sank [E9-9]."),
    ],
)
def test_a_citation_is_read_as_what_it_means(written: str, plain: str) -> None:
    assert plain_citations(written, KNOWN) == plain
    assert plain_citations(plain, KNOWN) == plain


@pytest.mark.parametrize(
    "text",
    [
        "```\nA[E1-1] (E1-1)\n```\n",
        "~~~\nE1-1",
        "Use `x = E1-1 + 2` here.",
        "The motor E9-9 and the road e7-1 are closed (e7-1).",
        "The aircraft BE1-1 and E1-10.",
        "The reference lists see also nothing.",
    ],
)
def test_nothing_else_is_taken_for_a_citation(text: str) -> None:
    assert plain_citations(text, KNOWN) == text


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("It lasts longer [inferred: E1-1, E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [inference: [E1-1], [E2-1]].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer (inference: E1-1; E2-1).", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [⇒ E1-1, E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [E1-1][E2-1 ⇒].", "It lasts longer [E1-1][⇒][E2-1]."),
        ("It lasts longer [E1-1][E2-1][inferred].", "It lasts longer [E1-1][E2-1][⇒]."),
        ("It lasts longer [inferred: e1-1, e2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [inferred].", "It lasts longer [⇒]."),
        ("它更耐用[推断：E1-1、E2-1]。", "它更耐用[⇒][E1-1][E2-1]。"),
        ("它更耐用（推论：E1-1和E2-1）。", "它更耐用[⇒][E1-1][E2-1]。"),
        ("Training and use (inference) differ [E1-1].", "Training and use (inference) differ [E1-1]."),
        ("See [inference](https://example.org) [E1-1].", "See [inference](https://example.org) [E1-1]."),
    ],
)
def test_a_mark_of_inference_is_read_with_its_premises(written: str, plain: str) -> None:
    assert plain_citations(written, KNOWN) == plain
    assert plain_citations(plain, KNOWN) == plain


@pytest.mark.parametrize(
    "checked", ["So it is [⇒][E1-1][E2-1].", "So it is [E1-1][E2-1].[⇒]", "So it is [E1-1][E2-1][⇒]."]
)
def test_a_mark_of_inference_is_shown_to_models_as_they_write_it(checked: str) -> None:
    assert inferences_in_words(checked) == "So it is [inferred: E1-1, E2-1]."
