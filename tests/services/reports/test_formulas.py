"""Formulas that are wider than a slide or a printed page: they are drawn smaller, or written in lines of text."""

from pathlib import Path

import pytest

from services.reports.formulas import fitting, formula_width, mathml
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from tests.fakes.browser import Page, needs_chromium
from tests.services.reports.conftest import in_browser
from tests.services.reports.full import english_from

TERM = r"y_i \log \sigma(\theta^\top x_i) + (1-y_i)\log(1-\sigma(\theta^\top x_i))"
FORMULAS = [
    "E = mc^2",
    rf"\mathcal{{L}} = -\frac{{1}}{{N}}\sum_{{i=1}}^{{N}}\left[ {TERM} \right] + \lambda \lVert \theta \rVert_2^2 + \mu \lVert \theta \rVert_1",
    rf"{TERM} + {TERM}",
    " + ".join([TERM] * 6),
]
REPORT = parse_report(english_from("# Depth\n\n" + "\n\n".join(f"## {f[:9]}\n\n$$\n{f}\n$$" for f in FORMULAS)))
TOO_WIDE = """
[...document.querySelectorAll('math')].filter(e => e.getClientRects().length).filter(e => {
  const own = e.getBoundingClientRect(), box = e.closest('.card p, .formula').getBoundingClientRect();
  return own.right > box.right + 1 || own.left < box.left - 1;
}).length
"""


@needs_chromium
@pytest.mark.long
@pytest.mark.parametrize("kind", ["deck", "paper"])
def test_no_formula_is_cut(page: Page, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "shown.html"
    place.write_text(render_deck(REPORT) if kind == "deck" else render_html(REPORT, interactive=False), "utf-8")
    page.open(place, width=1280 if kind == "deck" else 658, height=720)
    page.call("Emulation.setEmulatedMedia", media="print" if kind == "paper" else "")
    page.evaluate("document.querySelectorAll('.slide').forEach(e => e.style.display = 'flex')")
    drawn = "[...document.querySelectorAll('math')].filter(e => e.getClientRects().length).length"
    assert page.evaluate(drawn) == len(FORMULAS) - 1, "the longest one is text"
    assert page.evaluate(TOO_WIDE) == 0


LINES = r"\begin{aligned} a &= b \\ ccc &= \frac{1}{2} \end{aligned}"
EDGES = "[...document.querySelectorAll('.formula mtd:first-child')].map(e => Math.round(e.lastElementChild.getBoundingClientRect().right))"
HEIGHTS = "[...document.querySelectorAll('mfrac')].map(e => e.getBoundingClientRect().height)"


@in_browser
def test_a_formula_of_a_block_is_drawn_large_and_its_lines_stand_below_each_other(page: Page, tmp_path: Path) -> None:
    place = tmp_path / "shown.html"
    text = "# Depth\n\nOf $\\frac{1}{2}$ it:\n\n$$\n\\frac{1}{2}\n$$\n\n$$\n" + LINES + "\n$$"
    place.write_text(render_html(parse_report(english_from(text)), interactive=False), "utf-8")
    page.open(place)
    within, below, _ = page.evaluate(HEIGHTS)
    assert below > 1.3 * within
    first, second = page.evaluate(EDGES)
    assert first == second
    assert "&amp;" not in page.evaluate("document.querySelector('mtable').outerHTML")


@pytest.mark.parametrize("name", ["gather", "gathered", "eqnarray", "eqnarray*", "align*"])
def test_lines_of_a_formula_are_rows_without_numbers(name: str) -> None:
    signs = "&=&" if name.startswith("eqn") else "&=" if name.startswith("align") else "="
    drawn = mathml(rf"\begin{{{name}}} a {signs} b \\ c {signs} d \end{{{name}}}", display=True)
    assert (drawn.count("<mtr>"), "&amp;</mi>" in drawn, "(1)" in drawn) == (2, False, False)


def test_a_formula_is_as_large_as_it_fits() -> None:
    assert [fitting(formula, 36) for formula in FORMULAS] == [100, 90, 80, 0]
    assert fitting(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", 5) == 100
    assert formula_width(r"\nosuchthing{y}") == 0.0


@pytest.mark.parametrize(
    "latex", [r"\int\limits F\,dA", r"\sum\limits", r"x^{}", r"{}_{}", r"\frac{}{}", r"\left(\right."]
)
def test_a_formula_without_what_it_is_about_has_a_width(latex: str) -> None:
    assert formula_width(latex) >= 0
