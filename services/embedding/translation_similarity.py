"""Similarity of a question to texts in another language, by the dictionary and the local embedding model."""

import math
from collections.abc import Sequence

from services.embedding.dictionary import dictionary
from services.embedding.models import embed_locally
from services.text.tokens import has_cjk, tokens

UNRELATED = 0.2
"""Maximum cosine of an unrelated sentence in another language; translations reach 0.4 and more."""


def across_languages(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return, from 0 to 1, the share of a question that each text in another language covers.

    Texts in the question's language are left out, since their words are more reliable; the result is empty without
    dictionary and model.
    """
    foreign = [text for text in dict.fromkeys(texts) if has_cjk(text) != has_cjk(question)]
    if not foreign:
        return {}
    by_words = _translated(question, foreign)
    vectors = embed_locally([question, *foreign])
    if vectors is None:
        return by_words
    cosines = {text: float(row @ vectors[0]) for text, row in zip(foreign, vectors[1:], strict=True)}
    meant = {text: cosine if cosine > UNRELATED else 0.0 for text, cosine in cosines.items()}
    return {text: (meant[text] + by_words[text]) / 2 for text in foreign} if by_words else meant


def _translated(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the share of the question's words, weighted by rarity, that each text holds in translation.

    The result is empty if no dictionary is installed, if it knows none of the words, or if no text holds any.
    """
    words = dictionary()
    concepts = [[frozenset(name.split()) for name in concept] for concept in words.concepts(question)] if words else []
    held = [frozenset(tokens(text)) for text in texts]
    holding = [[any(name <= own for name in concept) for own in held] for concept in concepts]
    if not any(map(any, holding)):
        return {}
    weights = [math.log((len(texts) + 1) / (sum(held_by) + 0.5)) + 0.2 for held_by in holding]
    totals = (
        sum(weight for weight, held_by in zip(weights, holding, strict=True) if held_by[place])
        for place in range(len(texts))
    )
    return {text: total / sum(weights) for text, total in zip(texts, totals, strict=True)}


def in_both_languages(question: str, text: str) -> str:
    """Return a question with the translations of its words into a text's language, if that is another one and a dictionary is installed."""
    known = dictionary() if text and has_cjk(question) != has_cjk(text) else None
    names = known.translations(question).values() if known else []
    return " ".join([question, *(name for translated in names for name in translated)])
