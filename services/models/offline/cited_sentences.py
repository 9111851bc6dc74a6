"""Renders sentences with their citations for reports by rules."""

import re
from collections.abc import Sequence

from schemas.evidence_view import EvidenceView
from services.text.passages import sentences
from services.text.quotable import as_prose
from services.text.tokens import has_cjk

_CLOSING = re.compile(r"([.!?。！？])([\"'”’」』）)]*)$")
"""The final mark of a sentence and the closing quotes and brackets after it."""
_LABEL = re.compile(r"[A-Z][\w’'-]*(?: [\w’'-]+)?[.:]")
"""A label of one or two words before a sentence: `Price.`"""


def cite(quotes: Sequence[tuple[str, str]], said: set[str] | None = None) -> str:
    """Join sentences, each with its citation before the full stop, and each once: excerpts may begin with the same one.

    Args:
        quotes: pairs of a sentence and the id of its excerpt.
        said: sentences that are skipped as already written; the written ones are added.
    """
    said = set() if said is None else said
    told: list[str] = []
    for quote, excerpt_id in quotes:
        prose = as_prose(quote)
        spans = sentences(prose)
        for place, span in enumerate(spans):
            sentence = prose[span.start : span.end]
            if place < len(spans) - 1 and _LABEL.fullmatch(sentence):
                told.append(sentence)  # a label such as `Price.`
            elif sentence not in said:
                said.add(sentence)
                told.append(_with_citation(sentence, excerpt_id))
    return " ".join(told)


def _with_citation(sentence: str, excerpt_id: str) -> str:
    closing = _CLOSING.search(sentence)
    bare, marks = (sentence[: closing.start()], closing.group(2)) if closing else (sentence, "")
    stop = closing.group(1) if closing else ("。" if has_cjk(sentence) else ".")
    return f"{bare}{marks} [{excerpt_id}]{stop}"


def each_once(evidence: Sequence[EvidenceView]) -> list[EvidenceView]:
    """Return the excerpts without repetitions of the same title and words."""
    return list({(excerpt.title, excerpt.quote): excerpt for excerpt in reversed(evidence)}.values())[::-1]
