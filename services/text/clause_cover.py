"""Which texts may answer a question: those that hold most of one of its clauses, and score near the best."""

import math
from collections import Counter
from collections.abc import Sequence

from services.text.questions import answer_type, clauses_of
from services.text.tokens import has_cjk, tokens

NEAR = 0.4
"""Share of the best text's score that another must reach to be shown."""
HELD, HELD_CHINESE = 0.6, 0.4
"""Share of a clause's terms, by how rare they are, that a text must hold to be shown; many Chinese pairs are no words."""


def near_best(scores: Sequence[float]) -> list[int]:
    """Return the places of the scores near the best one, best first."""
    min_score = NEAR * max(scores, default=0.0)
    places = (place for place, score in enumerate(scores) if score > 0 and score >= min_score)
    return sorted(places, key=lambda place: (-scores[place], place))


def answering_places(
    question: str, held: Sequence[Sequence[str]], titles: Sequence[set[str]], min_texts: int = 0
) -> set[int]:
    """Return the texts that hold most of a clause of the question, its rare terms counting most, and so may answer it.

    A clause of one term (`What is a fathom?`) is answered where that is the topic, not wherever it occurs.

    Args:
        question: in any language.
        held: terms of each text.
        titles: terms of the title of each text's source.
        min_texts: how many texts there are taken to be at least: among a few, a term that none of them holds would count most.
    """
    passages = [set(own) for own in held]
    wanted = {clause: terms for clause in clauses_of(question) if (terms := set(tokens(clause)))}
    counts = Counter(term for own in passages for term in own)
    count = max(len(passages), min_texts)
    weight = {term: math.log(1 + count / (counts[term] + 0.5)) for terms in wanted.values() for term in terms}
    answering = set()
    for clause, terms in wanted.items():
        topical = len(terms) == 1 and answer_type(clause) == "topic"
        whole = sum(weight[term] for term in terms)
        min_share = HELD_CHINESE if has_cjk(clause) else HELD
        for place, own in enumerate(passages):
            known = titles[place] if topical else own | titles[place]
            if sum(weight[term] for term in terms & known) >= min_share * whole:
                answering.add(place)
    return answering
