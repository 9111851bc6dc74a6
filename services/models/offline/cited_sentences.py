"""Sentences with their citations, as reports by rules tell them."""

import re
from collections.abc import Sequence

from schemas.evidence_view import EvidenceView
from services.text.passages import sentences
from services.text.quotable import as_prose
from services.text.tokens import has_cjk

_CLOSING = re.compile(r"([.!?。！？])([\"'”’」』）)]*)$")
"""The stop of a sentence and the marks that close behind it."""
_LABEL = re.compile(r"[A-Z][\w’'-]*(?: [\w’'-]+)?[.:]")
"""One or two words that name what the next sentence is on."""


def cite(quotes: Sequence[tuple[str, str]], said: set[str] | None = None) -> str:
    """Join sentences, each with its citation before the full stop, and each once: excerpts may begin with the same one.

    Args:
        quotes: with the ids of their excerpts.
        said: sentences that are not said again; those that are said now are added.
    """
    said = set() if said is None else said
    told: list[str] = []
    for quote, excerpt_id in quotes:
        prose = as_prose(quote)
        spans = sentences(prose)
        for place, span in enumerate(spans):
            sentence = prose[span.start : span.end]
            if place < len(spans) - 1 and _LABEL.fullmatch(sentence):
                told.append(sentence)  # `Price.` before what is said of it
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
    """Return excerpts without those of the same title and words as an earlier one."""
    return list({(excerpt.title, excerpt.quote): excerpt for excerpt in reversed(evidence)}.values())[::-1]
