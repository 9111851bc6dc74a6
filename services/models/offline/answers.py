"""Finds the sentences of the evidence that answer a question, and those that are only related to it."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from schemas.evidence_view import EvidenceView
from services.embedding.synonyms import with_synonyms
from services.models.offline.answer_kinds import FITS, STRICT, TOLD_BY_FORM, fit, names_doer
from services.models.offline.differing_figures import settled
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
    quoted_section,
    rank,
    same_language,
    sentences_of,
)
from services.text.questions import answer_type, clauses_of, names_in
from services.text.terms import GENERIC, content, terms
from services.text.tokens import has_cjk

HELD = 0.6
"""Share of the terms that say what is asked which an answer must hold, in Chinese of those before and of those after the interrogative, many pairs of which are no words; those of the sentences beside it and of the title count half.
All count alike: among sentences on one subject the words of the subject are common, and those of another subject rare."""
HELD_OF_REASON = 0.75
"""`HELD` of a question for a reason, in the sentence itself: a sentence with half of the words explains something else."""
HELD_OF_ATTRIBUTE = 0.5
"""`HELD` for the attribute in a Chinese question: `过桥费` in `新桥的过桥费是多少`."""
_INTERROGATIVE = re.compile(
    r"[为是]?在?什么(?:时候|时间)?|多少|哪[一些个位年座种家所里]?|谁|[为]?何[时处人]?|几[点个位种天年月岁次人条项家楼层]?|怎[么样]?|如何"
)
_KIND_OF_ANSWER = re.compile("名称|名字|全名|别名|作者|意思|含义|定义|原因|目的|结果|日期|时间|地点|位置|数量|人数")
"""Attributes in Chinese questions that an answer gives without naming them."""
_EMPTY = re.compile("一共|总共|共计|到底|究竟|大约|大概")
"""Filler words of Chinese questions that no answer repeats; the pairs of their characters would count against an answer."""
_PARTICLE = re.compile(r"[的了呢吗吧啊是过\W]")
_THING = re.compile(r"^who\b.*?\b(?:the|a|an) ((?:[a-z][\w-]*\s?){1,4})\??$", re.IGNORECASE)
"""The thing that a question for a person is about, if it has no name: `the sounding machine`."""
_FIRST = re.compile(
    r"\b(?:first|earliest|pioneer(?:ed|s|ing)?|invent(?:ed|or|s))\b|首|第一|最早|最先|率先|发明", re.IGNORECASE
)
"""Words for the first of a kind; if a question asks for the first, an answer must hold one of them."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?![\d,.]\d|\d)")
RELATED, LONGEST = 0.2, 20
"""Minimum share of the asked terms of a related sentence, and their maximum number: a question may include a long text."""
LEAST_GAIN = 0.5
"""Share of the answer's score that a further sentence must add to be included."""


@dataclass(frozen=True, slots=True)
class ClauseAnswer:
    """The answer of the evidence to one clause of a question."""

    clause: str
    sentences: Sequence[Sentence]
    """Best first; empty if no sentence is related."""
    whole: bool
    """Whether the first sentence answers the clause."""
    others: Sequence[Sentence] = ()
    """Sentences of other sources that answer the clause with another figure."""


def answers(question: str, evidence: Sequence[EvidenceView], most: int) -> list[ClauseAnswer]:
    """Return the sentences that answer each clause of a question, or are closest to an answer.

    Args:
        question: the question, in any language.
        evidence: excerpts, best first.
        most: maximum number of sentences of all clauses together; each clause gets at least one.
    """
    sentences = sentences_of(Piece(excerpt.id, excerpt.title, excerpt.quote) for excerpt in evidence)
    if section := quoted_section(question, sentences)[:most]:
        return [ClauseAnswer(question, section, whole=True)]
    if compared := compared_in(question):
        return _of_each(compared, question, sentences)
    published = {excerpt.id: excerpt.published for excerpt in evidence}
    remembered = {excerpt.id for excerpt in evidence if excerpt.known_from}
    clauses = clauses_of(question, short=True)
    room = max(1, most // len(clauses))
    answered: list[ClauseAnswer] = []
    for clause in clauses:
        asked = complete_clause(clause, clauses[0], question) if names_in(question) else clause
        ranking = rank(asked, question, sentences)
        related = RELATED * min(1.0, LONGEST / max(1, len(ranking.weights)))
        chosen = [sentence for sentence in ranking.select(room + 1) if ranking.shares[sentence] >= related]
        first = _first_answer(ranking, chosen, remembered)
        if first is not None:
            first, others = settled(
                ranking, first, [sentence for sentence in ranking.scores if is_answer(ranking, sentence)], published
            )
            more = (
                []
                if others
                else [
                    sentence
                    for sentence in ranking.select(room, LEAST_GAIN)
                    if sentence is not first and not alike(sentence.text, first.text)
                ]
            )
            answered.append(ClauseAnswer(clause, [first, *more][:room], whole=True, others=others))
        else:
            answered.append(
                ClauseAnswer(
                    clause,
                    _closest_sentences(
                        ranking, sorted(chosen, key=lambda sentence: sentence.id in remembered), sentences
                    )[: room + 1],
                    whole=False,
                )
            )
    return answered


def _first_answer(ranking: Ranking, chosen: Sequence[Sentence], remembered: Collection[str]) -> Sentence | None:
    """Return the best sentence that answers a clause: one that was read now before any that is only remembered."""
    read_now = [sentence for sentence in [*chosen, *ranking.scores] if sentence.id not in remembered]
    candidates = [*read_now, *chosen] if remembered else chosen
    return next((sentence for sentence in candidates if is_answer(ranking, sentence)), None)


def _of_each(compared: Sequence[str], question: str, sentences: Sequence[Sentence]) -> list[ClauseAnswer]:
    """Return a sentence about each of the compared things; a sentence about several of them is not preferred."""
    told: list[Sentence] = []
    for side, clause in zip(compared, sides_of(question, compared), strict=True):
        own = set(terms(side))
        longer = [re.escape(other) for other in compared if other != side and side in other]
        whole = re.compile(
            "|".join([*(f"(?:{other})" for other in longer), rf"(?P<own>(?<!\w){re.escape(side)}(?! [A-Z]))"])
        )
        kind, asked = answer_type(clause), set(content(clause)) - own
        named = [sentence for sentence in sentences if own <= sentence.own and _names_side(whole, sentence.text)]
        titled = [sentence for sentence in sentences if _names_side(whole, sentence.title)]
        fitting = [
            sentence
            for sentence in dict.fromkeys([*titled, *named])
            if asked & sentence.own and (kind not in STRICT or fit(clause, kind, sentence.said) >= FITS)
        ]
        about = (
            fitting or titled or named or [sentence for sentence in sentences if own <= sentence.held | sentence.beside]
        )
        ranking = rank(clause, clause, about)
        told += [sentence for sentence in ranking.select(len(told) + 1) if sentence not in told][:1]
    return [ClauseAnswer(question, told, whole=False)]


def _names_side(whole: re.Pattern[str], text: str) -> bool:
    """Tell whether a text holds the name of a side outside of the longer names of other sides."""
    return any(found["own"] for found in whole.finditer(text))


def _closest_sentences(ranking: Ranking, chosen: Sequence[Sentence], sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences to show if none answers: the best one, a sentence of its source with the kind of answer, then others.

    For a question that describes its subject, the second sentence may be of another source if it holds the question's
    last word.

    If no sentence holds a word of the question, the search matched in another way: the first sentence is returned.
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
    """Tell whether a sentence answers a clause: it holds its names and its predicate, and has the kind of answer."""
    told = ranking.kind not in TOLD_BY_FORM or ranking.fits[sentence] >= FITS
    if not told or (ranking.kind == "person" and not names_doer(ranking.clause, sentence.text)):
        return False
    if sentence.title in ranking.others:
        return False
    if _FIRST.search(ranking.clause) and not _FIRST.search(f"{sentence.text} {sentence.heading}"):
        return False
    years = set(_YEAR.findall(ranking.clause))
    if not years <= sentence.held | _year_of_source(sentence):
        return False
    first_named = _YEAR.findall(sentence.text)[:1]
    if years and ranking.kind == "number" and not sentence.cells and not years.issuperset(first_named):
        return False  # the figure is of another year than the asked one
    if sentence.cells and not sentence.own & set(content(ranking.clause)):
        return False
    if not same_language(sentence.text, ranking.clause):
        return ranking.shares[sentence] >= HELD
    if apart_terms(ranking.clause) and not sets_apart(sentence.text):
        return False
    if has_cjk(sentence.text):
        return _holds_chinese(ranking.clause, sentence)
    named = {term for name in names_in(ranking.clause) for term in terms(name)}
    apart = apart_terms(ranking.clause)
    predicate = [term for term in content(ranking.clause) if term not in named | apart]
    if ranking.kind == "person" and not _names_thing(ranking.clause, sentence):
        return False
    meant = with_synonyms(dict.fromkeys(predicate)).values()
    if ranking.kind == "reason" and sum(not words.isdisjoint(sentence.held) for words in meant) < HELD_OF_REASON * len(
        meant
    ):
        return False
    return named <= sentence.held | sentence.beside and _share_of(meant, sentence) >= HELD


def _holds_chinese(clause: str, sentence: Sentence) -> bool:
    """Tell whether a Chinese sentence holds the words before and after the interrogative, and the asked attribute."""
    before, *after = _INTERROGATIVE.split(_EMPTY.sub("", clause))
    verb = _PARTICLE.sub("", " ".join(after))
    if len(verb) == 1 and has_cjk(verb) and verb not in sentence.text:
        return False  # a verb of one character forms no pair: `谁建的`
    attribute = _KIND_OF_ANSWER.sub("", before.rpartition("的")[2]) if "的" in before else ""
    if _share(terms(attribute), sentence) < HELD_OF_ATTRIBUTE:
        return False
    parts = (part.rstrip("的了呢吗吧啊？?") for part in (before, " ".join(after)))
    return min(_share(terms(part) if len(part) > 1 else (), sentence) for part in parts) >= HELD


def _year_of_source(sentence: Sentence) -> set[str]:
    """Return the year in the heading, or else in the source's title; a span of years is ignored."""
    named = [set(_YEAR.findall(text)) for text in (sentence.heading, sentence.title)]
    return next((years for years in named if len(years) == 1), set())


def _names_thing(clause: str, sentence: Sentence) -> bool:
    """Tell whether a sentence, its heading or its title holds all words of the thing that a question for a person is about.

    `Who designed the sounding machine?` is not answered by the designer of another machine.
    """
    thing = _THING.search(clause)
    wanted = {term for term in terms(thing.group(1)) if term not in GENERIC} if thing else set[str]()
    return wanted <= {*sentence.held, *terms(f"{sentence.title} {sentence.heading}")}


def _share(wanted: Sequence[str], sentence: Sentence) -> float:
    """Return the share of terms that a sentence holds; 1 if there are no terms."""
    return _share_of([frozenset([term]) for term in set(wanted)], sentence)


def _share_of(meant: Collection[frozenset[str]], sentence: Sentence) -> float:
    """Return the share of terms of which a sentence holds the word or a synonym; 1 if there are no terms."""
    held = sum(1.0 if words & sentence.held else BESIDE if words & sentence.beside else 0.0 for words in meant)
    return held / len(meant) if meant else 1.0
