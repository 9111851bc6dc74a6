"""Formulas that are wider than a slide or a printed page: they are drawn smaller, or written in lines of text."""

from pathlib import Path

import pytest

from services.reports.formula_width import fitting, formula_width
from services.reports.html.page import render_html
from services.reports.parser import parse_report
from services.reports.slides.deck import render_deck
from tests.fakes.browser import Page, needs_chromium
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


def test_a_formula_is_as_large_as_it_fits() -> None:
    assert [fitting(formula, 36) for formula in FORMULAS] == [100, 90, 80, 0]
    assert fitting(r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", 5) == 100
    assert formula_width(r"\nosuchthing{y}") == 0.0


@pytest.mark.parametrize(
    "latex", [r"\int\limits F\,dA", r"\sum\limits", r"x^{}", r"{}_{}", r"\frac{}{}", r"\left(\right."]
)
def test_a_formula_without_what_it_is_about_has_a_width(latex: str) -> None:
    assert formula_width(latex) >= 0
