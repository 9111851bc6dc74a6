"""Ranks the sentences of a text by how much of a claim they hold. Code, not a model.

The weights were chosen on the development part of WiCE (Kamoi et al., "WiCE: Real-World Entailment for Claims in Wikipedia", 2023).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from services.text.held_numbers import is_held
from services.text.numbers import quantities
from services.text.ranking import bm25, rarity
from services.text.tokens import STOP_WORDS, has_cjk, pieces, tokens

K1, B = 0.9, 0.4
"""Of BM25 among sentences of one text: their lengths tell less than those of documents."""
NEIGHBOURS = 2
"""Sentences on each side that are looked at."""


class Signs(NamedTuple):
    """What speaks for a sentence as evidence of a claim."""

    words: float
    """Its BM25 score, as a share of the best one of the text."""
    letters: float
    """Which share of the claim's words it holds in parts, so that another form of a word counts by half."""
    numbers: float
    """Which share of the claim's numbers and dates it holds."""
    around: float
    """The BM25 scores of the sentences around it: a claim is borne by a passage rather than by a line."""
    late: float
    """How far down the text it stands, 0 to 1: pages end with comments, other stories and menus."""


WEIGHTS = Signs(words=1.0, letters=1.2, numbers=0.6, around=0.25, late=-0.4)
"""As a logistic regression on WiCE's sentences weighs the signs, rounded."""


def sentence_scores(claim: str, sentences: Sequence[str]) -> list[float]:
    """Score each sentence of a text by itself and by those around it; scores of two texts do not compare."""
    words = bm25([tokens(sentence) for sentence in sentences], tokens(claim), K1, B)
    best = max(words, default=0.0) or 1.0
    words = [score / best for score in words]
    parts = [set(_parts(sentence)) for sentence in sentences]
    share = shares(_parts(claim), parts)
    wanted = quantities(claim)
    scores = []
    for place, sentence in enumerate(sentences):
        held = quantities(sentence) if wanted else []
        neighbours = range(max(0, place - NEIGHBOURS), min(len(words), place + NEIGHBOURS + 1))
        signs = Signs(
            words=words[place],
            letters=sum(weight for part, weight in share.items() if part in parts[place]),
            numbers=sum(is_held(quantity, held) for quantity in wanted) / max(1, len(wanted)),
            around=sum(words[neighbour] for neighbour in neighbours) - words[place],
            late=place / len(sentences),
        )
        scores.append(sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True)))
    return scores


def shares(terms: Iterable[str], sentences: Sequence[Collection[str]]) -> dict[str, float]:
    """Weigh terms by how few of a text's sentences hold them; together they weigh 1."""
    holding = Counter(term for sentence in sentences for term in sentence)
    weights = {term: rarity(holding[term], len(sentences)) for term in dict.fromkeys(terms)}
    total = sum(weights.values()) or 1.0
    return {term: weight / total for term, weight in weights.items()}


def _parts(text: str) -> list[str]:
    """Return the character trigrams of a text's words; bigrams of Chinese ones."""
    parts: list[str] = []
    for piece in pieces(text):
        if piece not in STOP_WORDS:
            size, whole = (2, piece) if has_cjk(piece) else (3, f"^{piece}$")
            parts.extend(whole[place : place + size] for place in range(max(1, len(whole) - size + 1)))
    return parts
