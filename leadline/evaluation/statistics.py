"""Statistics of an evaluation: intervals of figures, differences of two settings."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from pydantic import BaseModel

RESAMPLES = 10_000
"""Resamples of the questions, and random signs where not all can be tried. Percentile limits need some thousands (Efron and
Tibshirani, 1993, chapter 13)."""
EXACT_UP_TO = 13
"""Maximum differing questions for which all signs are tried: 2**13 are fewer than `RESAMPLES`."""
COVERAGE = 0.95
SEED = 20_240_229
"""Seed of the generator, so that the same values always give the same intervals."""


class Estimate(BaseModel):
    """A mean over questions, with the limits of its 95 % interval."""

    mean: float
    low: float
    high: float
    questions: int


class Difference(BaseModel):
    """How the mean of a second setting differs from that of a first, over the questions that both have a figure for."""

    difference: float
    low: float
    high: float
    p: float
    """Two-sided: how often questions whose two figures were swapped at random differ as much or more."""
    questions: int


def estimate(values: Sequence[float]) -> Estimate | None:
    """Return the mean with a percentile bootstrap interval over questions; None without values.

    The algorithm is Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13. With one value the interval is
    that value, which says nothing of how sure it is.
    """
    if not values:
        return None
    low, high = _interval(values)
    return Estimate(mean=float(np.mean(values)), low=low, high=high, questions=len(values))


def difference(first: Sequence[float], second: Sequence[float]) -> Difference | None:
    """Return the difference of two settings on the same questions, with a paired randomization test; None without questions.

    The test is Fisher's (The Design of Experiments, 1935): under the hypothesis that the settings do not differ, the sign
    of each question's difference is a coin's. All signs are tried up to `EXACT_UP_TO` questions that differ, else `RESAMPLES` random
    ones, with one added to both counts (Phipson and Smyth, 2010).
    """
    if not first:
        return None
    deltas = np.asarray(second, float) - np.asarray(first, float)
    low, high = _interval(deltas.tolist())
    return Difference(difference=float(deltas.mean()), low=low, high=high, p=_p(deltas), questions=len(deltas))


def _p(deltas: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    differing = deltas[deltas != 0]
    if not differing.size:
        return 1.0
    observed = abs(differing.sum()) * (1 - 1e-12)  # equal sums may differ in the last bit
    if differing.size <= EXACT_UP_TO:
        signs = np.array(list(product((-1.0, 1.0), repeat=differing.size)))
        return float(np.mean(np.abs(signs @ differing) >= observed))
    signs = np.random.default_rng(SEED).choice((-1.0, 1.0), size=(RESAMPLES, differing.size))
    return float((np.count_nonzero(np.abs(signs @ differing) >= observed) + 1) / (RESAMPLES + 1))


def _interval(values: Sequence[float]) -> tuple[float, float]:
    numbers = np.asarray(values, float)
    drawn = np.random.default_rng(SEED).integers(0, len(numbers), size=(RESAMPLES, len(numbers)))
    low, high = np.quantile(numbers[drawn].mean(axis=1), [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return float(low), float(high)
