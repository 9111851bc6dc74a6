"""What words mean across languages: nearness to a question by the local embedding model, translations by the dictionary."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from services.search.dictionary import dictionary
from services.search.embeddings import embed_locally
from services.search.tokens import has_cjk, tokens
from services.settings import settings

UNRELATED = 0.2
"""Cosine up to which a sentence in another language has nothing to do with the question; translations reach 0.4 and more."""


def nearness(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return, from 0 to 1, how near each text in another language comes to the question: by its meaning and its words.

    Texts in the question's language have none: there the words tell more. So has one that has nothing to do with the question.
    """
    foreign = [text for text in dict.fromkeys(texts) if has_cjk(text) != has_cjk(question)]
    cosines = likeness(question, foreign)
    return with_words(question, foreign, {text: one if one > UNRELATED else 0.0 for text, one in cosines.items()})


def with_words(question: str, texts: Sequence[str], meant: Mapping[str, float]) -> dict[str, float]:
    """Return how near texts come in meaning, and for those in another language as much by the translated words they hold."""
    foreign = [text for text in dict.fromkeys(texts) if has_cjk(text) != has_cjk(question)]
    held = _translated(question, foreign)
    if not held:
        return dict(meant)
    if not meant:
        return held
    return {**meant, **{text: (meant.get(text, 0.0) + held[text]) / 2 for text in foreign}}


def _translated(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the share of the question's words, the rare ones counting most, that each text holds in translation.

    Nothing where no dictionary is installed, it knows none of the words, or no text holds any.
    """
    concepts = _concepts(question, settings().leadline_home / "documents") if texts else ()
    terms = [frozenset(tokens(text)) for text in texts]
    holding = [[any(each <= own for each in concept) for own in terms] for concept in concepts]
    weights = [math.log((len(texts) + 1) / (sum(held) + 0.5)) + 0.2 for held in holding]
    total = sum(weights)
    if not any(map(any, holding)):
        return {}
    shares = (
        sum(weight for weight, held in zip(weights, holding, strict=True) if held[place]) for place in range(len(texts))
    )
    return {text: share / total for text, share in zip(texts, shares, strict=True)}


@lru_cache(maxsize=256)
def _concepts(question: str, home: Path) -> tuple[tuple[frozenset[str], ...], ...]:
    words = dictionary(home)
    return (
        tuple(tuple(frozenset(one.split()) for one in concept) for concept in words.concepts(question)) if words else ()
    )


def likeness(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each text, whatever its language; nothing where no local model is in use."""
    each = list(dict.fromkeys(texts))
    vectors = embed_locally([question, *each]) if each else None
    if vectors is None:
        return {}
    return {text: float(row @ vectors[0]) for text, row in zip(each, vectors[1:], strict=True)}


def concepts(question: str, table: str) -> list[list[str]]:
    """Return the words of a question that the dictionary knows, each followed by what it is called in a table's language.

    Nothing where both are in one language, or no dictionary is installed.
    """
    if not table or has_cjk(question) == has_cjk(table):
        return []
    known = dictionary(settings().leadline_home / "documents")
    return [[word, *others] for word, others in known.translations(question).items()] if known else []


def in_both_languages(question: str, table: str) -> str:
    """Return a question with what its words are called in a table's language."""
    return " ".join([question, *(one for _, *others in concepts(question, table) for one in others)])
