"""Formulas on one line say what they said on two."""

import pytest

from services.reports.plain_math import plain_math


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"d = \frac{v \cdot t}{2}", "d = (v · t)/2"),
        (r"\frac{1}{2} m v^2", "(1/2)mv²"),
        (r"\frac{a+b}{c-d}", "(a + b)/(c − d)"),
        (r"\sqrt{x} y", "√(x)y"),
        (r"\sum_{i=1}^{n} x_i^2", "∑ᵢ₌₁ⁿ xᵢ²"),
        (r"a \times 10^{-3}", "a × 10⁻³"),
        (r"\bar{x} \ge -5", "x̄ ≥ −5"),
        (r"\frac", r"\frac"),
    ],
)
def test_a_formula_on_one_line_reads_the_same(latex: str, line: str) -> None:
    assert plain_math(latex) == line
