"""Compares texts with a question or a sentence in another language, by the dictionary and the local embedding model."""

import math
from collections.abc import Callable, Sequence

from pydantic import BaseModel

from services.embedding.dictionary import dictionary
from services.embedding.models import Embedder, embed_locally, fast_model
from services.run.scope import current_run
from services.text.passages import sentences
from services.text.tokens import has_cjk, tokens

Likeness = Callable[[str, Sequence[str]], float | None]
"""Returns the similarity of a sentence to quotes as a cosine; None if no model can compare them."""
Pair = tuple[str, Sequence[str]]
"""A sentence and its cited quotes."""


class _Cosines(BaseModel):
    by_pair: list[float] | None
    """None where the model is not in use."""


async def likeness_of(pairs: Sequence[Pair]) -> Likeness | None:
    """Compare sentences with quotes once; the journal records the results.

    Returns:
        The highest cosine of each sentence with a sentence of its quotes; None without pairs, or if the local model is
        not in use.
    """
    if not pairs:
        return None

    async def work() -> _Cosines:
        model = fast_model()  # on whose cosines `support.MEANING` was chosen
        return _Cosines(by_pair=await cosines(pairs, model) if model else None)

    request = {"pairs": [[text, list(quotes)] for text, quotes in pairs]}
    journal = current_run().journal
    values = (await journal.once("likeness", f"{len(pairs)} sentences", request, _Cosines, work)).answer.by_pair
    if values is None:
        return None
    by_pair = {(text, tuple(quotes)): cosine for (text, quotes), cosine in zip(pairs, values, strict=True)}
    return lambda text, quotes: by_pair.get((text, tuple(quotes)))


async def cosines(pairs: Sequence[Pair], model: Embedder) -> list[float]:
    """Return for each pair the highest cosine of the sentence with a sentence of its quotes."""
    split = [
        (text, [quote[span.start : span.end] for quote in quotes for span in sentences(quote)])
        for text, quotes in pairs
    ]
    texts = list(dict.fromkeys(text for sentence, parts in split for text in (sentence, *parts)))
    vectors = await model.passages(texts)
    place = {text: row for row, text in enumerate(texts)}
    return [
        round(float(max(vectors[place[part]] @ vectors[place[text]] for part in parts)), 3) if parts else 0.0
        for text, parts in split
    ]


UNRELATED = 0.2
"""Maximum cosine of an unrelated sentence in another language; translations reach 0.4 and more."""
RELATED = 0.26
"""Minimum similarity that counts beside texts in the question's language: of 298 questions of XQuAD in the other language, English and Chinese, 75 and 69 % have their paragraph above it,
19 and 11 % the closest of 12 paragraphs about something else; on the other 297 questions 79 and 71, 26 and 13 % (November 2026). From
0.25 to 0.28 the difference changes by less than 3 points."""


def across_languages(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return, from 0 to 1, the share of a question that each text in another language covers.

    Beside texts in the question's language only those count that have to do with it; where all are in another, a reader sees what there is. Texts in the question's language are left out, since their words are more reliable; the result is empty without
    dictionary and model.
    """
    foreign = [text for text in dict.fromkeys(texts) if has_cjk(text) != has_cjk(question)]
    if not foreign:
        return {}
    shares = _similarity(question, foreign)
    least = RELATED if len(foreign) < len({*texts}) else 0.0
    return {text: share for text, share in shares.items() if share >= least}


def _similarity(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the mean of the cosine with a question and of the share of its words held in translation, or what there is of both."""
    by_words = _translated(question, texts)
    vectors = embed_locally([question, *texts])
    if vectors is None:
        return by_words
    cosines = {text: float(row @ vectors[0]) for text, row in zip(texts, vectors[1:], strict=True)}
    meant = {text: cosine if cosine > UNRELATED else 0.0 for text, cosine in cosines.items()}
    return {text: (meant[text] + by_words[text]) / 2 for text in texts} if by_words else meant


def _translated(question: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the share of the question's words, weighted by rarity, that each text holds: in translation, or as they stand.

    The result is empty if no dictionary is installed, or if the question has no words.
    """
    words = dictionary()
    if words is None:
        return {}
    known = words.concepts(question)
    translated = {term for word in known for term in word.split()}
    others = [term for term in dict.fromkeys(tokens(question)) if term not in translated and not has_cjk(term)]
    concepts = [
        [frozenset(name.split()) for name in concept] for concept in [*known.values(), *([term] for term in others)]
    ]
    if not concepts:
        return {}
    held = [frozenset(tokens(text)) for text in texts]
    holding = [[any(name <= own for name in concept) for own in held] for concept in concepts]
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
