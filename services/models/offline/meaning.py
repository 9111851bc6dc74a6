"""What words mean across languages: nearness to a question by the local embedding model, translations by the dictionary."""

from collections.abc import Sequence

from services.search.dictionary import dictionary
from services.search.embeddings import embed_locally
from services.search.tokens import has_cjk
from services.settings import settings

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


def concepts(question: str, table: str) -> list[list[str]]:
    """Return the words of a question that the dictionary knows, each followed by what it is called in a table's language.

    Nothing where both are in one language, or no dictionary is installed.
    """
    if not table or (has_cjk(question) and has_cjk(table)) or (not has_cjk(question) and not has_cjk(table)):
        return []
    folder = settings().leadline_home / "documents"
    folder.mkdir(parents=True, exist_ok=True)
    known = dictionary(folder)
    return [[word, *others] for word, others in known.translations(question).items()] if known else []


def in_both_languages(question: str, table: str) -> str:
    """Return a question with what its words are called in a table's language."""
    return " ".join([question, *(one for _, *others in concepts(question, table) for one in others)])
