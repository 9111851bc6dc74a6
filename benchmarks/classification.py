"""Precision, recall and accuracy of a classification into two classes."""

from collections.abc import Sequence


def figures(truth: Sequence[bool], answers: Sequence[bool]) -> dict[str, float]:
    """Return F1 of the positive class and balanced accuracy, in percent."""
    hits = sum(expected and answer for expected, answer in zip(truth, answers, strict=True))
    rejected = sum(not expected and not answer for expected, answer in zip(truth, answers, strict=True))
    positives, negatives = sum(truth), len(truth) - sum(truth)
    precision, recall = hits / max(1, sum(answers)), hits / max(1, positives)
    return {
        "f1": round(200 * precision * recall / max(1e-9, precision + recall), 1),
        "balanced_accuracy": round(50 * (recall + rejected / max(1, negatives)), 1),
        "precision": round(100 * precision, 1),
        "recall": round(100 * recall, 1),
    }
