"""Precision, recall and accuracy of a classification into two classes."""

from collections.abc import Sequence


def figures(truth: Sequence[bool], said: Sequence[bool]) -> dict[str, float]:
    """Return F1 of the positive class and balanced accuracy, in percent."""
    hits = sum(one and other for one, other in zip(truth, said, strict=True))
    rejected = sum(not one and not other for one, other in zip(truth, said, strict=True))
    positives, negatives = sum(truth), len(truth) - sum(truth)
    precision, recall = hits / max(1, sum(said)), hits / max(1, positives)
    return {
        "f1": round(200 * precision * recall / max(1e-9, precision + recall), 1),
        "balanced_accuracy": round(50 * (recall + rejected / max(1, negatives)), 1),
        "precision": round(100 * precision, 1),
        "recall": round(100 * recall, 1),
    }
