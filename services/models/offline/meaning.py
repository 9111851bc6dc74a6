"""How near sentences come to a question in meaning, by the local embedding model."""

from collections.abc import Sequence

from services.search.embeddings import embed_locally
from services.search.tokens import has_cjk

UNRELATED = 0.2
"""Cosine up to which a sentence in another language has nothing to do with the question; translations reach 0.4 and more."""


def nearness(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each text in another language than the question, by the local embedding model.

    Texts in the question's language have none: there the words tell more. So has every text where no local model is in use,
    and one that has nothing to do with the question.
    """
    foreign = [text for text in dict.fromkeys(texts) if has_cjk(text) != has_cjk(question)]
    vectors = embed_locally([question, *foreign]) if foreign else None
    if vectors is None:
        return {}
    cosines = {text: float(row @ vectors[0]) for text, row in zip(foreign, vectors[1:], strict=True)}
    return {text: cosine for text, cosine in cosines.items() if cosine > UNRELATED}


def likeness(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each text, whatever its language; nothing where no local model is in use."""
    each = list(dict.fromkeys(texts))
    vectors = embed_locally([question, *each]) if each else None
    if vectors is None:
        return {}
    return {text: float(row @ vectors[0]) for text, row in zip(each, vectors[1:], strict=True)}
