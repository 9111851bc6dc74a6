"""Which sentences of the evidence answer a question, and which only have something to do with it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView
from services.models.offline.kinds import FITS, STRICT
from services.models.offline.ranked_sentences import (
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
from services.models.offline.shape import complete_clause, describes
from services.text.questions import clauses_of, names_in
from services.text.terms import content, terms
from services.text.tokens import has_cjk

HELD = 0.6
"""Share of the terms that say what is asked which an answer must hold, in Chinese of those before and of those after the interrogative, many pairs of which are no words; those of the sentences beside it and of the title count half.
All count alike: among sentences on one subject the words of the subject are common, and those of another subject rare."""
_INTERROGATIVE = re.compile(r"什么|多少|哪[一些个位年座种家所里]?|谁|何[时处人]?|几|怎[么样]?|如何")
_YEAR = re.compile(r"[12]\d{3}")
RELATED, LONGEST = 0.2, 20
"""Share of what is asked, of that many terms at most, from which on a sentence is shown as related: a question may bring a text along."""
LEAST_GAIN = 0.5
"""Share of the answer's score that a further sentence must add to be told with it."""


@dataclass(frozen=True, slots=True)
class ClauseAnswer:
    """What the evidence says on one clause of a question."""

    clause: str
    sentences: Sequence[Sentence]
    """Best first; empty where nothing is related."""
    whole: bool
    """Whether the first one answers the clause."""


def answers(question: str, evidence: Sequence[EvidenceView], most: int) -> list[ClauseAnswer]:
    """Return for each clause of a question the sentences that answer it, or are closest to that.

    Args:
        question: in any language.
        evidence: best first.
        most: sentences of all clauses together, at least one of each.
    """
    sentences = sentences_of(Piece(excerpt.id, excerpt.title, excerpt.quote) for excerpt in evidence)
    if section := quoted_section(question, sentences)[:most]:
        return [ClauseAnswer(question, section, whole=True)]
    clauses = clauses_of(question, short=True)
    room = max(1, most // len(clauses))
    answered: list[ClauseAnswer] = []
    for clause in clauses:
        asked = complete_clause(clause, clauses[0], question) if names_in(question) else clause
        ranking = rank(asked, question, sentences)
        related = RELATED * min(1.0, LONGEST / max(1, len(ranking.weights)))
        chosen = [sentence for sentence in ranking.select(room + 1) if ranking.shares[sentence] >= related]
        first = next((sentence for sentence in chosen if is_answer(ranking, sentence)), None)
        if first is not None:
            more = [
                sentence
                for sentence in ranking.select(room, LEAST_GAIN)
                if sentence is not first and not alike(sentence.text, first.text)
            ]
            answered.append(ClauseAnswer(clause, [first, *more][:room], whole=True))
        else:
            answered.append(
                ClauseAnswer(clause, _closest_sentences(ranking, chosen, sentences)[: room + 1], whole=False)
            )
    return answered


def _closest_sentences(ranking: Ranking, chosen: Sequence[Sentence], sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences to show where none answers: the best one, what its source has of the kind of answer, then others.

    Of a question that describes what it asks about the answer may stand in another source, with the question's last word.

    Where no sentence has a word of the question, something else has found them: then the first one is shown.
    """
    if not ranking.scores:
        return list(sentences[:1])
    if ranking.kind not in STRICT or not chosen:
        return list(chosen)
    fitting = [sentence for sentence in ranking.scores if ranking.fits[sentence] >= FITS]
    if describes(ranking.clause):
        fitting = [sentence for sentence in fitting if content(ranking.clause)[-1] in sentence.held]
    elif ranking.fits[chosen[0]] >= FITS:
        fitting = []
    else:
        fitting = [sentence for sentence in fitting if sentence.title == chosen[0].title]
    return list(dict.fromkeys([chosen[0], *fitting[:1], *chosen[1:]]))


def is_answer(ranking: Ranking, sentence: Sentence) -> bool:
    """Tell whether a sentence answers a clause: it is about its names, says what is asked of them, and has the kind of answer."""
    if ranking.kind in STRICT and ranking.fits[sentence] < FITS:
        return False
    if not same_language(sentence.text, ranking.clause):
        return ranking.shares[sentence] >= HELD
    if has_cjk(sentence.text):
        before, after = [*_INTERROGATIVE.split(ranking.clause, maxsplit=1), ""][:2]
        return min(_share(terms(part), sentence) for part in (before, after)) >= HELD
    named = {term for name in names_in(ranking.clause) for term in terms(name)}
    years = {term for term in terms(ranking.clause) if _YEAR.fullmatch(term)}
    predicate = [term for term in content(ranking.clause) if term not in named]
    return named <= sentence.held | sentence.beside and years <= sentence.held and _share(predicate, sentence) >= HELD


def _share(wanted: Sequence[str], sentence: Sentence) -> float:
    """Return the share of terms that a sentence holds; 1 where there are none."""
    every = set(wanted)
    return (
        (len(every & sentence.held) + BESIDE * len(every & sentence.beside - sentence.held)) / len(every)
        if every
        else 1.0
    )
