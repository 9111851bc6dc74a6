"""Which sentences of the evidence answer a question, and which only have something to do with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView
from services.models.offline.answer_kinds import FITS, TOLD_BY_FORM, names_doer
from services.models.offline.figures import MAX_OTHERS, differ, restates
from services.models.offline.question_shape import (
    apart_terms,
    compared_in,
    complete_clause,
    describes,
    sets_apart,
    sides_of,
)
from services.models.offline.ranked_sentences import (
    BESIDE,
    Piece,
    Ranking,
    Sentence,
    alike,
    rank,
    same_language,
    sentences_of,
)
from services.text.questions import RECOGNISED, clauses_of, names_in
from services.text.terms import GENERIC, content, terms
from services.text.tokens import has_cjk

HELD = 0.6
"""Share of the terms that say what is asked which an answer must hold, in Chinese of those before and of those after the interrogative, many pairs of which are no words; those of the sentences beside it and of the title count half.
All count alike: among sentences on one subject the words of the subject are common, and those of another subject rare."""
HELD_OF_REASON = 0.75
"""Likewise, of a question for a reason, in the sentence itself: one with half of the words gives the reason of something else."""
_INTERROGATIVE = re.compile(
    r"(?:是在?|在|为)?什么(?:时[候间]|地方|名字?|人|样)?|多少|哪[一些个位年座种家所里儿]?|谁|[为]?何[时处人]?|几[点个位种天年月岁次人条项家楼层]?|怎[么样]?|如何"
)
_EMPTY = re.compile("一共|总共|共计|到底|究竟|大约|大概")
"""Words of a Chinese question that no answer repeats; the pairs that their characters make with others would count against it."""
_THING = re.compile(r"^who\b.*?\b(?:the|a|an) ((?:[a-z][\w-]*\s?){1,4})\??$", re.IGNORECASE)
"""What a question for a person is about, where it is no name: `the sounding machine`."""
_FIRST = re.compile(
    r"\b(?:first|earliest|pioneer(?:ed|s|ing)?|invent(?:ed|or|s))\b|首|第一|最早|最先|率先|发明", re.IGNORECASE
)
"""That something was the first of its kind, where a question asks for that: another one of the kind does not answer it."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?![\d,.]\d|\d)")
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
    others: Sequence[Sentence] = ()
    """Sentences of other sources that answer it with another figure."""


def answers(question: str, evidence: Sequence[EvidenceView], most: int) -> list[ClauseAnswer]:
    """Return for each clause of a question the sentences that answer it, or are closest to that.

    Args:
        question: in any language.
        evidence: best first.
        most: sentences of all clauses together, at least one of each.
    """
    sentences = sentences_of(Piece(excerpt.id, excerpt.title, excerpt.quote) for excerpt in evidence)
    if compared := compared_in(question):
        return [ClauseAnswer(question, _of_each(compared, question, sentences), whole=False)]
    published = {excerpt.id: excerpt.published for excerpt in evidence}
    clauses = clauses_of(question, short=True)
    room = max(1, most // len(clauses))
    answered: list[ClauseAnswer] = []
    for clause in clauses:
        asked = complete_clause(clause, clauses[0], question) if names_in(question) else clause
        ranking = rank(asked, sentences)
        answering = [sentence for sentence in ranking.scores if is_answer(ranking, sentence)]
        if answering:
            first, others = _settled(ranking, answering, published)
            more = [] if others else ranking.select(room, LEAST_GAIN)
            told = [first, *(sentence for sentence in more if not alike(sentence.text, first.text))]
            answered.append(ClauseAnswer(clause, told[:room], whole=True, others=others))
        else:
            closest = _closest(ranking, room + 1) if ranking.scores else sentences[:1]
            answered.append(ClauseAnswer(clause, closest, whole=False))
    return answered


def _settled(
    ranking: Ranking, answering: Sequence[Sentence], published: Mapping[str, str]
) -> tuple[Sentence, list[Sentence]]:
    """Return the sentence that answers, and those of other sources that answer with another figure.

    Where a later source makes the same statement with another figure, that is the answer.
    """
    first, *_ = answering
    other = other_figures(ranking, first, answering)
    later = [each for each in other if restates(first, each) and published[each.id] > published[first.id] > ""]
    best = max(later, key=lambda each: published[each.id], default=first)
    return best, [each for each in [first, *other] if each is not best and differ(ranking.clause, best, each)]


def other_figures(ranking: Ranking, first: Sentence, answering: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences of other sources that answer a clause for a number with another figure, one of each source."""
    if ranking.kind != "number":
        return []
    by_title = {sentence.title: sentence for sentence in reversed(answering)}
    others = [sentence for sentence in reversed(by_title.values()) if sentence.title != first.title]
    return [sentence for sentence in others if differ(ranking.clause, first, sentence)][:MAX_OTHERS]


def _of_each(compared: Sequence[str], question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return what is said of each thing that a question compares, rather in a sentence on that thing alone."""
    told: list[Sentence] = []
    sides = [frozenset(terms(side)) for side in compared]
    for own, clause in zip(sides, sides_of(question, compared), strict=True):
        about = [sentence for sentence in sentences if own <= sentence.own | sentence.beside]
        alone = [each for each in about if not any(side <= each.own for side in sides if side != own)]
        best = [*rank(clause, alone).scores, *rank(clause, about).scores]
        told += [sentence for sentence in best if sentence not in told][:1]
    return told


def _closest(ranking: Ranking, most: int) -> list[Sentence]:
    """Return the sentences to show where none answers: the best ones, behind the first what its source has of the kind of answer.

    Of a question that describes what it asks about the answer may stand in another source, with the question's last word.
    """
    related = RELATED * min(1.0, LONGEST / max(1, len(ranking.weights)))
    chosen = [sentence for sentence in ranking.select(most) if ranking.shares[sentence] >= related]
    if ranking.kind not in RECOGNISED or not chosen:
        return chosen
    fitting = [sentence for sentence in ranking.scores if ranking.fits[sentence] >= FITS]
    if describes(ranking.clause):
        fitting = [sentence for sentence in fitting if content(ranking.clause)[-1] in sentence.held]
    else:
        fitting = [sentence for sentence in fitting if sentence.title == chosen[0].title]
    return list(dict.fromkeys([chosen[0], *fitting[:1], *chosen[1:]]))[:most]


def is_answer(ranking: Ranking, sentence: Sentence) -> bool:
    """Tell whether a sentence answers a clause: it is about its names, says what is asked of them, and has the kind of answer."""
    clause, kind = ranking.clause, ranking.kind
    if kind in TOLD_BY_FORM and ranking.fits[sentence] < FITS:
        return False
    if _FIRST.search(clause) and not _FIRST.search(f"{sentence.text} {sentence.heading}"):
        return False
    if sentence.cells and not sentence.own & set(content(clause)):
        return False
    if not _in_time(clause, sentence, number=kind == "number"):
        return False
    if not same_language(sentence.text, clause):
        return ranking.shares[sentence] >= HELD
    apart = apart_terms(clause)
    if apart and not sets_apart(sentence.text):
        return False
    if kind == "person" and not names_doer(clause, sentence.said):
        return False
    if has_cjk(sentence.text):
        before, *after = _INTERROGATIVE.split(_EMPTY.sub("", clause))
        return min(_share(terms(part), sentence) for part in (before, " ".join(after))) >= HELD
    named = {term for name in names_in(clause) for term in terms(name)}
    predicate = {term for term in content(clause) if term not in named | apart}
    if kind == "person" and not _names_thing(clause, sentence):
        return False
    if kind == "reason" and len(sentence.held & predicate) < HELD_OF_REASON * len(predicate):
        return False
    return named <= sentence.held | sentence.beside and _share(predicate, sentence) >= HELD


def _in_time(clause: str, sentence: Sentence, *, number: bool) -> bool:
    """Tell whether a sentence is on the years of a clause; a heading or title that names one year dates its sentences."""
    years = set(_YEAR.findall(clause))
    headed = [set(_YEAR.findall(text)) for text in (sentence.heading, sentence.title)]
    if not years <= sentence.held | next((named for named in headed if len(named) == 1), set()):
        return False
    first_named = _YEAR.findall(sentence.text)[
        :1
    ]  # a figure of another year may stand beside the one that is asked about
    return not (years and number and not sentence.cells) or years.issuperset(first_named)


def _names_thing(clause: str, sentence: Sentence) -> bool:
    """Tell whether a sentence, its heading or its source's title names what a question for a person is about by all of its words.

    `Who designed the sounding machine?` is not answered by who designed another machine.
    """
    thing = _THING.search(clause)
    wanted = {term for term in terms(thing.group(1)) if term not in GENERIC} if thing else set[str]()
    return wanted <= {*sentence.held, *terms(f"{sentence.title} {sentence.heading}")}


def _share(wanted: Sequence[str] | set[str], sentence: Sentence) -> float:
    """Return the share of terms that a sentence holds; 1 where there are none."""
    every = set(wanted)
    held = len(every & sentence.held) + BESIDE * len(every & sentence.beside - sentence.held)
    return held / len(every) if every else 1.0
