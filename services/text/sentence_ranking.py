"""Ranks the sentences of a text by how much of a claim they hold. Code, not a model.

Both were chosen on the development part of WiCE (Kamoi et al., "WiCE: Real-World Entailment for Claims in Wikipedia", 2023).
Taking sentences in turn for what they add is the idea of Carbonell and Goldstein,
"The Use of MMR, Diversity-Based Reranking for Reordering Documents and Producing Summaries" (1998).
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
REPEATED = 1.0
"""What a sentence loses that says nothing of a claim but what sentences before it in the ranking say over and over."""
TURNS = 20
"""Sentences that are ranked for what they add; the others follow by their own scores."""
PASSAGE = 10
"""Sentences of a passage; how well `coverage` tells claims apart is flat from 6 to 15."""


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


def rank_sentences(claim: str, sentences: Sequence[str]) -> list[int]:
    """Rank the sentences of one text by how well they prove or refute a claim.

    The sentences are in the text's order: each is judged with those around it.

    Returns:
        The places of all sentences, best first; each is ranked by its score less what it repeats: a term of the claim counts half each
        time it was said.
    """
    scores = sentence_scores(claim, sentences)
    held = [set(tokens(sentence)) for sentence in sentences]
    whole = shares(tokens(claim), held)
    terms_of = [[term for term in whole if term in terms] for terms in held]
    left = dict(whole)
    order = sorted(range(len(sentences)), key=lambda place: (-scores[place], place))
    chosen: list[int] = []
    for _ in range(min(TURNS, len(order))):
        repeated = {place: sum(whole[term] - left[term] for term in terms_of[place]) for place in order}
        best = max(order, key=lambda place: scores[place] - REPEATED * repeated[place])
        chosen.append(best)
        order.remove(best)
        left |= {term: left[term] / 2 for term in terms_of[best]}
    return chosen + order


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


def coverage(claim: str, sentences: Sequence[str], passage: int = PASSAGE) -> float:
    """Return how much of a claim's words one passage of a text holds: the best sentences in a row, 0 to 1.

    Words that are scattered over a long text count little; rarer words of the text count more.
    """
    held = [set(tokens(sentence)) for sentence in sentences]
    share = shares(tokens(claim), held)
    if not share:
        return 1.0
    starts = range(max(1, len(held) - passage + 1))
    passages = (set[str]().union(*held[start : start + passage]) for start in starts)
    return max(sum(weight for term, weight in share.items() if term in terms) for terms in passages)


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
