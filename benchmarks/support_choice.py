"""How the ranking of evidence sentences was chosen, and what choosing it on these very claims is worth.

Called by `benchmarks/support.py`. The weights of a sentence's signs are those of a logistic regression over all sentences of
the pages; here they are fitted on four fifths of the claims and measured on the fifth, for all five, again and again. Without
one sign each, the rest fitted anew, tells what that sign is for. Spreads are standard errors over claims.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from services.text.sentence_ranking import WEIGHTS, Signs, in_turn, sentence_features, sentence_scores

FOLDS, REPETITIONS = 5, 2
DEPTHS = (5, 10)
Example = dict[str, Any]
Numbers = NDArray[np.float64]


def recall(example: Example, order: Sequence[int], depth: int) -> float:
    """Return the share of a set that supports a claim among the first sentences; of several sets the best counts."""
    first = set(order[:depth])
    return max(len(first & set(found)) / len(found) for found in example["supporting_sentences"] if found)


def bearing_ones(examples: Sequence[Example]) -> list[Example]:
    """Return the claims that any sentence of their page supports, at least in part."""
    return [example for example in examples if any(example["supporting_sentences"])]


def with_spread(values: Sequence[float]) -> list[float]:
    """Return mean and standard error, in percent."""
    return [round(100 * float(np.mean(values)), 1), round(100 * float(np.std(values)) / len(values) ** 0.5, 1)]


def choice(examples: Sequence[Example]) -> dict[str, Any]:
    """Measure the ranking with weights that were fitted without the claims it is measured on."""
    some = bearing_ones(examples)
    measured = [np.array(sentence_features(example["claim"], example["evidence"])) for example in some]
    truth = [_truth(example) for example in some]
    fitted = _fit(np.vstack(measured), np.concatenate(truth))
    found: dict[str, Any] = {
        "weights": WEIGHTS._asdict(),
        "fitted on all": dict(
            zip(Signs._fields, [round(float(weight), 2) for weight in fitted / fitted[0]], strict=True)
        ),
        "fitted on others": _folds(some, measured, truth),
        "without": {},
    }
    for place, name in enumerate(Signs._fields):
        fewer = [np.delete(features, place, axis=1) for features in measured]
        found["without"][name] = _folds(some, fewer, truth)
    alone = [sorted(range(len(scores)), key=lambda index: (-scores[index], index)) for scores in _scores(some)]
    found["without"]["turns"] = {
        f"recall@{depth}": with_spread(
            [recall(example, order, depth) for example, order in zip(some, alone, strict=True)]
        )
        for depth in DEPTHS
    }
    return found


def _scores(some: Sequence[Example]) -> list[list[float]]:
    return [sentence_scores(example["claim"], example["evidence"]) for example in some]


def _truth(example: Example) -> Numbers:
    telling = {place for found in example["supporting_sentences"] for place in found}
    return np.array([float(place in telling) for place in range(len(example["evidence"]))])


def _folds(some: Sequence[Example], measured: Sequence[Numbers], truth: Sequence[Numbers]) -> dict[str, list[float]]:
    shares: dict[int, list[list[float]]] = {depth: [[] for _ in some] for depth in DEPTHS}
    for repetition in range(REPETITIONS):
        fold = np.random.default_rng(repetition).permutation(len(some)) % FOLDS
        for held in range(FOLDS):
            others = [place for place in range(len(some)) if fold[place] != held]
            weights = _fit(
                np.vstack([measured[index] for index in others]), np.concatenate([truth[index] for index in others])
            )
            for place in (index for index in range(len(some)) if fold[index] == held):
                scores: list[float] = (measured[place] @ (weights / weights[0])).tolist()
                order = in_turn(some[place]["claim"], some[place]["evidence"], scores)
                for depth in DEPTHS:
                    shares[depth][place].append(recall(some[place], order, depth))
    return {f"recall@{depth}": with_spread([float(np.mean(recalls)) for recalls in shares[depth]]) for depth in DEPTHS}


def _fit(signs_of: Numbers, truth: Numbers, steps: int = 8) -> Numbers:
    """Return the weights of a logistic regression, by Newton's method, with a unit Gaussian prior on standardised signs."""
    mean, spread = signs_of.mean(0), signs_of.std(0) + 1e-9
    rows = np.c_[(signs_of - mean) / spread, np.ones(len(signs_of))]
    prior = np.r_[np.ones(signs_of.shape[1]), 0.0]
    weights = np.zeros(rows.shape[1])
    for _ in range(steps):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (likely - truth) + prior * weights
        bend = (rows * (likely * (1 - likely))[:, None]).T @ rows + np.diag(prior + 1e-9)
        weights -= np.linalg.solve(bend, slope)
    fitted: Numbers = weights[:-1] / spread
    return fitted
