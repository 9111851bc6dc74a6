"""Citations are read in the forms that models write, in English and Chinese, and nothing else is taken for one."""

import pytest

from services.evidence.citation_forms import (
    numbers_cited,
    plain_citations,
    with_definitions_read,
    with_numbers,
)

KNOWN = {"E1-1", "E1-2", "E2-1", "B0-1"}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("The ship sank (E1-1).", "The ship sank [E1-1]."),
        ("The ship sank [E1-1, E1-2].", "The ship sank [E1-1][E1-2]."),
        ("The ship sank [E1-1] and [E1-2].", "The ship sank [E1-1] and [E1-2]."),
        ("The ship sank ([E1-1], [E1-2]).", "The ship sank [E1-1][E1-2]."),
        ("The ship sank【E1-1】.", "The ship sank[E1-1]."),
        ("The ship sank [^E1-1].", "The ship sank [E1-1]."),
        ("The ship sank [[E1-1]].", "The ship sank [E1-1]."),
        ("The ship sank [e1–1].", "The ship sank [E1-1]."),
        ("The ship sank [E1-1](#e1-1).", "The ship sank [E1-1]."),
        ("The ship sank [Excerpt E1-1].", "The ship sank [E1-1]."),
        ("The ship sank (see excerpts E1-1 and E1-2).", "The ship sank [E1-1][E1-2]."),
        ("The ship sank, excerpt E1-1.", "The ship sank [E1-1]."),
        ("The ship sank Excerpt [E1-1].", "The ship sank [E1-1]."),
        ("The ship sank. Excerpt E1-1.", "The ship sank. [E1-1]"),
        ("The ship sank `E1-1`.", "The ship sank [E1-1]."),
        ("The ship sank E1-1.", "The ship sank [E1-1]."),
        ("According to E1-1, the ship sank.", "According to [E1-1], the ship sank."),
        ("The excerpt E1-1 says so.", "The excerpt [E1-1] says so."),
        ("- **E1-1**: The ship sank.", "- The ship sank. [E1-1]"),
        ("| E1-1 | 1902 |", "| [E1-1] | 1902 |"),
        ("The ship (built in 1870 [E1-1]) sank.", "The ship (built in 1870 [E1-1]) sank."),
        ("船沉没了（E1-1）。", "船沉没了[E1-1]。"),
        ("船沉没了［E1-1、E1-2］。", "船沉没了[E1-1][E1-2]。"),
        ("船沉没了，摘录 E1-1。", "船沉没了[E1-1]。"),
        ("船沉没了，见E1-1。", "船沉没了[E1-1]。"),
        ("船沉没了（参见摘录E1-1和E1-2）。", "船沉没了[E1-1][E1-2]。"),
        ("由e1—1可知，船沉没了。", "由[E1-1]可知，船沉没了。"),
        ("E1-1：船沉没了。", "船沉没了。 [E1-1]"),
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


def test_a_bracket_with_an_id_that_does_not_exist_stays_a_citation() -> None:
    assert plain_citations("It sank (E9-9).", KNOWN) == "It sank [E9-9]."


def test_numbers_in_brackets_are_found_and_replaced_by_what_they_mean() -> None:
    text = "A [1]. B [2, 1]. C 【3】. D [x](y) [4](z) [2019].\n```\n[5]\n```\n"
    assert numbers_cited(text) == {1, 2, 3}
    meaning = {1: ["E1-1"], 2: ["E1-2", "E2-1"]}
    assert with_numbers(text, meaning).startswith("A [E1-1]. B [E1-2][E2-1][E1-1]. C 【3】.")


def test_a_list_that_defines_numbers_is_read_and_taken_out() -> None:
    text = "It sank [1]. It was raised [2, 1].\n\n## Sources\n\n[1]: E1-1, the log\n[2] (E2-1)\n"
    read = with_definitions_read(plain_citations(text, KNOWN))
    assert read.strip() == "It sank [E1-1]. It was raised [E2-1][E1-1]."


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("It lasts longer [inferred: E1-1, E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [Inferred from E1-1 and E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [inference: [E1-1], [E2-1]].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer (inference: E1-1; E2-1).", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [⇒ E1-1, E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [=> E1-1, E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [E1-1, E2-1 ⇒].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [E1-1][E2-1 ⇒].", "It lasts longer [E1-1][⇒][E2-1]."),
        ("It lasts longer [E1-1][E2-1][inferred].", "It lasts longer [E1-1][E2-1][⇒]."),
        ("It lasts longer (inference) [E1-1][E2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [E1-1][E2-1]. (≈ inferred)", "It lasts longer [E1-1][E2-1][⇒]."),
        ("It lasts longer [E1-1][E2-1].‡ It is", "It lasts longer [E1-1][E2-1][⇒]. It is"),
        ("It lasts longer [inferred: e1-1, e2-1].", "It lasts longer [⇒][E1-1][E2-1]."),
        ("It lasts longer [inferred].", "It lasts longer [⇒]."),
        ("它更耐用[推断：E1-1、E2-1]。", "它更耐用[⇒][E1-1][E2-1]。"),
        ("它更耐用【推断：E1-1，E2-1】。", "它更耐用[⇒][E1-1][E2-1]。"),
        ("它更耐用（推论：E1-1和E2-1）。", "它更耐用[⇒][E1-1][E2-1]。"),
        ("它更耐用[E1-1][E2-1]。（≈ 推断）", "它更耐用[E1-1][E2-1][⇒]。"),
        ("Training and use (inference) differ [E1-1].", "Training and use (inference) differ [E1-1]."),
        ("See [inference](https://example.org) [E1-1].", "See [inference](https://example.org) [E1-1]."),
    ],
)
def test_a_mark_of_inference_is_read_with_its_premises(written: str, plain: str) -> None:
    assert plain_citations(written, KNOWN) == plain
    assert plain_citations(plain, KNOWN) == plain


def test_premises_that_are_numbers_get_their_meaning_like_any_numbers() -> None:
    plain = plain_citations("It lasts longer [inferred: 1, 2].", KNOWN)
    assert with_numbers(plain, {1: ["E1-1"], 2: ["E2-1"]}) == "It lasts longer [⇒][E1-1][E2-1]."
