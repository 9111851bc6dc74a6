"""Which sentences of the evidence answer a question, and which only have something to do with it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView
from services.models.offline.kinds import FITS, STRICT
from services.models.offline.ranking import (
    BESIDE,
    Piece,
    Ranking,
    Sentence,
    alike,
    quoted_section,
    rank,
    same_language,
    sentences_of,
)
from services.models.offline.shape import completed, describes
from services.text.questions import clauses_of, names_in
from services.text.terms import content, terms
from services.text.tokens import has_cjk

HELD = 0.6
"""Share of the terms that say what is asked which an answer must hold, in Chinese of those before and of those after the interrogative, many pairs of which are no words; those of the sentences beside it and of the title count half.
All count alike: among sentences on one subject the words of the subject are common, and those of another subject rare."""
_INTERROGATIVE = re.compile(r"什么|多少|哪[一些个位年座种家所里]?|谁|何[时处人]?|几|怎[么样]?|如何")
_YEAR = re.compile(r"[12]\d{3}")
RELATED = 0.2
"""Share of what is asked from which on a sentence is shown as related."""
LEAST_GAIN = 0.5
"""Share of the answer's score that a further sentence must add to be told with it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the evidence says on one clause of a question."""

    clause: str
    sentences: Sequence[Sentence]
    """Best first; empty where nothing is related."""
    whole: bool
    """Whether the first one answers the clause."""


def answers(question: str, evidence: Sequence[EvidenceView], most: int) -> list[Answered]:
    """Return for each clause of a question the sentences that answer it, or are closest to that.

    Args:
        question: in any language.
        evidence: best first.
        most: sentences of all clauses together, at least one of each.
    """
    sentences = sentences_of(Piece(one.id, one.title, one.quote) for one in evidence)
    if section := quoted_section(question, sentences)[:most]:
        return [Answered(question, section, whole=True)]
    clauses = clauses_of(question, short=True)
    room = max(1, most // len(clauses))
    answered: list[Answered] = []
    for clause in clauses:
        asked = completed(clause, clauses[0], question) if names_in(question) else clause
        ranking = rank(asked, question, sentences)
        chosen = [one for one in ranking.chosen(room + 1) if ranking.shares[one] >= RELATED]
        first = next((one for one in chosen if is_answer(ranking, one)), None)
        if first is not None:
            more = [
                one for one in ranking.chosen(room, LEAST_GAIN) if one is not first and not alike(one.text, first.text)
            ]
            answered.append(Answered(clause, [first, *more][:room], whole=True))
        else:
            answered.append(Answered(clause, _closest(ranking, chosen, sentences)[: room + 1], whole=False))
    return answered


def _closest(ranking: Ranking, chosen: Sequence[Sentence], sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences to show where none answers: the best one, what its source has of the kind of answer, then others.

    Of a question that describes what it asks about the answer may stand in another source, with the question's last word.

    Where no sentence has a word of the question, something else has found them: then the first one is shown.
    """
    if not ranking.scores:
        return list(sentences[:1])
    if ranking.kind not in STRICT or not chosen:
        return list(chosen)
    fitting = [one for one in ranking.scores if ranking.fits[one] >= FITS]
    if describes(ranking.clause):
        fitting = [one for one in fitting if content(ranking.clause)[-1] in one.held]
    elif ranking.fits[chosen[0]] >= FITS:
        fitting = []
    else:
        fitting = [one for one in fitting if one.title == chosen[0].title]
    return list(dict.fromkeys([chosen[0], *fitting[:1], *chosen[1:]]))


def is_answer(ranking: Ranking, one: Sentence) -> bool:
    """Tell whether a sentence answers a clause: it is about its names, says what is asked of them, and has the kind of answer."""
    if ranking.kind in STRICT and ranking.fits[one] < FITS:
        return False
    if not same_language(one.text, ranking.clause):
        return ranking.shares[one] >= HELD
    if has_cjk(one.text):
        before, after = [*_INTERROGATIVE.split(ranking.clause, maxsplit=1), ""][:2]
        return min(_share(terms(part), one) for part in (before, after)) >= HELD
    named = {term for name in names_in(ranking.clause) for term in terms(name)}
    years = {term for term in terms(ranking.clause) if _YEAR.fullmatch(term)}
    predicate = [term for term in content(ranking.clause) if term not in named]
    return named <= one.held | one.beside and years <= one.held and _share(predicate, one) >= HELD


def _share(wanted: Sequence[str], one: Sentence) -> float:
    """Return the share of terms that a sentence holds; 1 where there are none."""
    every = set(wanted)
    return (len(every & one.held) + BESIDE * len(every & one.beside - one.held)) / len(every) if every else 1.0
