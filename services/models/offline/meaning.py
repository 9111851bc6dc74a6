"""How near sentences come to a question in meaning, by the local embedding model."""

from collections.abc import Sequence

from services.search.embeddings import embed_locally
from services.search.tokens import has_cjk


def nearness(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the cosine, from 0 to 1, of each text in another language than the question, by the local embedding model.

    Texts in the question's language have none: there the words tell more. So has every text where no local model is in use.
    """
    foreign = [text for text in dict.fromkeys(texts) if has_cjk(text) != has_cjk(question)]
    vectors = embed_locally([question, *foreign]) if foreign else None
    if vectors is None:
        return {}
    return {text: max(0.0, float(row @ vectors[0])) for text, row in zip(foreign, vectors[1:], strict=True)}


def likeness(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the cosine of each text, whatever its language; nothing where no local model is in use."""
    each = list(dict.fromkeys(texts))
    vectors = embed_locally([question, *each]) if each else None
    if vectors is None:
        return {}
    return {text: float(row @ vectors[0]) for text, row in zip(each, vectors[1:], strict=True)}
