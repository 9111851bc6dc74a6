"""Intervals and differences, checked against values that are worked out by hand or published."""

import pytest

from leadline.evaluation.statistics import difference, estimate


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few = estimate([0.0, 1.0, 0.0, 1.0])
    many = estimate([0.0, 1.0] * 50)
    assert few is not None
    assert many is not None
    assert few.low < few.mean == 0.5 < few.high
    assert many.high - many.low < few.high - few.low
    assert many.high - many.low == pytest.approx(2 * 1.96 * 0.5 / 10, abs=0.03)  # of the normal approximation


def test_equal_figures_have_no_width_and_none_have_no_estimate() -> None:
    same = estimate([0.25, 0.25, 0.25])
    assert same is not None
    assert (same.low, same.mean, same.high) == (0.25, 0.25, 0.25)
    assert estimate([]) is None
    assert difference([], []) is None


def test_the_chance_of_few_questions_is_exact() -> None:
    better = difference([0.0] * 5, [1.0] * 5)
    assert better is not None
    assert better.difference == 1.0
    assert better.p == 2 / 2**5  # all five signs alike, in either direction
    mixed = difference([0, 0, 0], [1, 1, -1])
    assert mixed is not None
    assert mixed.p == 1.0  # every choice of signs gives a sum of 1 or 3


def test_settings_that_do_not_differ_have_a_chance_of_one() -> None:
    same = difference([0.3, 0.7], [0.3, 0.7])
    assert same is not None
    assert (same.difference, same.p) == (0.0, 1.0)


def test_the_chance_of_many_questions_is_never_zero() -> None:
    clear = difference([0.0] * 40, [1.0] * 40)
    assert clear is not None
    assert 0 < clear.p < 0.001
    noise = difference([0.0] * 40, [0.1, -0.1] * 20)
    assert noise is not None
    assert noise.p > 0.5
