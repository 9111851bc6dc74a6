"""Which sentences of the evidence answer a question, and whether any does."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from services.evidence.numbers import quantities
from services.models.offline.answers import AnswerType, answer_type, fit
from services.models.offline.language import GENERIC, clauses_of, describes, names_in
from services.models.offline.meaning import likeness, with_words
from services.models.offline.recommending import asks_what_is_said
from services.models.offline.sections import Evidence
from services.models.offline.terms import terms, worth
from services.models.offline.wording import is_heading, quotable
from services.search.tokens import has_cjk, tokens

ANSWERS, NEAR, NEARBY = 0.42, 0.27, 0.15
"""Relevance from which a sentence answers a clause, from which it comes near it, and from which it does if it fits the kind of answer."""
FITS, FULLY, FITTING = 0.6, 0.9, 2
"""How well a sentence must fit the kind of answer that is asked for, where that is a number, a date, a place or a person;
how well, to complete one that is about just what is asked; and how many sentences are shown that hold one without being about all that is asked."""
HOME = 0.15
"""What it adds that a sentence stands in the source of the one that is about just what is asked."""
SHOWN = 0.08
"""Relevance from which an excerpt may stand among the evidence."""
LED = 0.45
"""Share of a question that describes what it asks about, which sentences must hold together to lead to it."""
LONG = 5
"""Terms of a question from which on one sentence can hardly hold most: it comes near with fewer."""
ELSEWHERE = 0.3
"""What a term of the question's other clauses counts beside one of the clause's own."""
AGAIN, AGAIN_LEADING = 0.35, 0.1
"""What a term counts once a sentence before has held it; of a question whose answer leads from one name to another."""
OPENING = 0.1
"""What it adds that a sentence begins with what is asked about."""
NO_YEAR, OTHER_YEAR = 0.8, 0.6
"""What is left of the relevance of a sentence that does not name the year that is asked about, and of one that names another."""
OFF_POINT = 0.75
"""What is left of the relevance of a sentence that stands far from the rarest word that is asked about."""
PREDICATE = 1.5
"""What the word counts that says what is to be found out: the last of a question that describes what it asks about, the first
of one for a definition."""
BESIDE = 0.5
"""What a term counts that stands in the sentences beside, or in the source's title."""
ALSO, ALSO_LISTED, LEADING = 0.6, 0.45, 0.12
"""Share of the best sentence's merit that another must reach to be told, too; of a question that asks for several things; and
of one that describes what it asks about, whose answer leads from one name to another."""
UNHEARD = 0.6
"""What a pair of Chinese characters that no sentence holds counts of its weight: it may be a word that nothing is said about."""
MEANT, MEANT_CHINESE = 0.3, 0.15
"""What likeness in meaning counts beside the words, in one language; Chinese sentences on one topic are all alike."""
LONE = 200
"""Characters of an excerpt that is told as it stands although it is no sentence."""
FEW = 8
"""Sentences of which a median says nothing."""
OPENED = 60
"""Characters with which a sentence begins."""
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_STRICT: frozenset[AnswerType] = frozenset(["number", "date", "place", "person"])
_ASKS = re.compile(r"什么|多少|哪|谁|何|几|怎|吗|如何|是否|呢|多[大高长深远久宽重快]|多[少大]?$")
_SEVERAL = re.compile(
    r"\b(?:which|what) (?:\w+ ){0,2}\w+s\b(?<!is)(?<!was)(?<!does)|\b(?:ways|methods|reasons|kinds|types|steps|examples|list|how (?:do|can|to))\b|"
    r"\b(?:each|both|respectively|and)\b|哪些|哪几|各|分别|方法|步骤|有什么|怎么|怎样|如何",
    re.IGNORECASE,
)
_GENERIC = frozenset(term for word in GENERIC for term in terms(word))
_RELEVANCE = {"high": 0.08, "medium": 0.04}
LOW, SPAN = 0.12, 0.42
"""Least cosine of sentences that have nothing in common, and how far above it those lie that say the same. In a text on one topic
all are somewhat alike: there the median counts as nothing in common."""


@dataclass(slots=True)
class Unit:
    """A sentence of the evidence as it is weighed."""

    text: str
    """As quoted, with what it leans on."""
    excerpt: str
    source: str
    held: frozenset[str]
    beside: frozenset[str]
    row: bool = False
    bonus: float = 0.0


@dataclass(slots=True)
class Answered:
    """What the evidence says on one clause of a question."""

    clause: str
    units: list[Unit] = field(default_factory=list)
    """Best first; empty where nothing comes near."""
    whole: bool = False
    """Whether the first one answers, and does not only come near."""
    joined: bool = False
    """Whether two sentences of a source answer together: one is about what is asked, the other has the kind of answer."""


def answer(question: str, evidence: Sequence[Evidence], most: int) -> list[Answered]:
    """Return for each clause of a question the sentences that answer it, or come near; what a source says, if that is asked.

    Args:
        question: in any language; evidence in another is compared by meaning where a local model is in use.
        evidence: best first.
        most: sentences of all clauses together, at least one of each.
    """
    if said := [one for one in evidence if asks_what_is_said(question, one.source)]:
        units = [one for one in units_of(said) if not is_heading(one.text)]
        once = [one for one in units if not any(one.text != other.text and one.text in other.text for other in units)]
        return [Answered(question, once[:most], whole=bool(once))]
    clauses = parts_of(question)
    found: list[Answered] = []
    told: list[Unit] = []
    for clause in clauses:
        one = _answered(clause, question, units_of(evidence), max(1, most // len(clauses)), told)
        told += one.units
        found.append(one)
    return found


def parts_of(question: str) -> list[str]:
    """Return the clauses of a question that ask something; one that only says what it is about belongs to the next."""
    clauses = clauses_of(question, short=True)
    if not has_cjk(question):
        return clauses
    parts, before = list[str](), ""
    for clause in clauses:
        before = f"{before}，{clause}" if before else clause
        if _ASKS.search(clause):
            parts.append(before)
            before = ""
    return [*parts[:-1], f"{parts[-1]}，{before}" if before else parts[-1]] if parts else [question]


def units_of(evidence: Sequence[Evidence]) -> list[Unit]:
    """Take evidence apart into sentences; an excerpt that is no prose, as a lone word is none, stands as it is."""
    units: list[Unit] = []
    for rank, one in enumerate(evidence):
        title = frozenset(terms(one.source))
        bonus = _RELEVANCE.get(one.relevance, 0.0) + 0.04 / (1 + rank)
        found = [] if one.kind == "computation" else quotable(one.quote)
        lone = one.kind == "computation" or (len(one.quote) <= LONE and not is_heading(one.quote))
        texts = [one.quote[item.start : item.end] for item in found] or ([one.quote.strip()] if lone else [])
        held = [frozenset(terms(text)) for text in texts]
        for place, text in enumerate(texts):
            beside = title.union(*held[max(0, place - 1) : place + 2])
            row = bool(found) and found[place].row
            units.append(Unit(text, one.id, one.source, held[place], beside, row, bonus))
    return units


def by_relevance(question: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Order evidence by what its best sentence says on any part of a question; without what says nothing on it."""
    best: dict[str, float] = {}
    for clause in parts_of(question):
        units = units_of(evidence)
        weighed = _weigh(clause, question, units)
        for one in units:
            if weighed.relevance[id(one)] >= SHOWN:
                best[one.excerpt] = max(best.get(one.excerpt, 0.0), _merit(one, weighed, {}))
    known = [one for one in evidence if one.id in best]
    return sorted(known, key=lambda one: -best[one.id])


def _answered(clause: str, question: str, units: Sequence[Unit], most: int, told: Sequence[Unit]) -> Answered:
    weighed = _weigh(clause, question, units)
    chosen = _chosen(weighed, units, most, told)
    strict = weighed.kind in _STRICT
    unfit = bool(chosen) and strict and max(weighed.fits[id(one)] for one in chosen) < FITS
    if unfit and (near := _fitting(weighed, units, chosen[0])):
        if _completes(weighed, near[0], chosen[0]):
            return Answered(clause, [near[0], chosen[0]][: max(1, most)], whole=True, joined=True)
        return Answered(clause, near)
    led = weighed.leads_on and _together(chosen, weighed.values) >= LED
    bar = 0.0 if led or not weighed.comparable else NEAR * min(1.0, LONG / max(1, len(weighed.values)))
    if not chosen or weighed.relevance[id(chosen[0])] < bar:
        return Answered(clause)
    if any(alike(chosen[0].text, other.text) for other in told):
        return Answered(clause, whole=True)  # what was told on another clause answers this one
    if weighed.leads_on:
        chosen = _chain(clause, weighed, chosen)
    whole = not unfit and (weighed.leads_on or _all_told(chosen, weighed.values, weighed.relevance))
    whole = whole and _on_predicate(clause, weighed, chosen)
    return Answered(clause, chosen if whole else chosen[:1], whole)


def _completes(weighed: "_Weighed", near: Unit, best: Unit) -> bool:
    """Tell whether a sentence gives the kind of answer that is asked for to what the best one of its source is about."""
    at_home = weighed.relevance[id(best)] >= ANSWERS and near.source == best.source
    return at_home and weighed.fits[id(near)] >= FULLY


def _on_predicate(clause: str, weighed: "_Weighed", chosen: Sequence[Unit]) -> bool:
    """Tell whether sentences are on what happened: to `Where was she born?` one that names her and a place is no answer."""
    if weighed.leads_on or has_cjk(clause) or weighed.kind not in {"place", "date", "person"}:
        return True
    named = {term for name in names_in(clause) for term in terms(name)}
    own = [term for term in terms(clause) if term in weighed.values and term not in named]
    predicate = own[0 if weighed.kind == "person" else -1] if own else ""
    return not predicate or any(predicate in one.held for one in chosen)


def _chain(clause: str, weighed: "_Weighed", chosen: Sequence[Unit]) -> list[Unit]:
    """Leave out of an answer that leads from one name to another what is on neither.

    Only where the way is told whole: one sentence answers, and another has a name of the question and one of that answer.
    """
    words = terms(clause)
    answers = [one for one in chosen if words and words[-1] in one.held and weighed.fits[id(one)] >= FULLY]
    if has_cjk(clause) or weighed.kind not in _STRICT or not answers:
        return list(chosen)
    asked, told = ({terms(name)[-1] for name in names_in(text) if terms(name)} for text in (clause, answers[0].text))
    links = [one for one in chosen if asked & one.held and (told - asked) & one.held and one is not answers[0]]
    return [one for one in chosen if one is answers[0] or one in links] if links else list(chosen)


def _fitting(weighed: "_Weighed", units: Sequence[Unit], best: Unit) -> list[Unit]:
    """Return what holds the kind of answer that is asked for: rather that than what says more about something else.

    Where the best sentence is about just what is asked, what its source says besides counts as near.
    """
    at_home = weighed.relevance[id(best)] >= ANSWERS
    near = [
        one
        for one in units
        if weighed.fits[id(one)] >= FITS
        and (weighed.relevance[id(one)] >= NEARBY or (at_home and one.source == best.source))
    ]
    figures = {id(one): 0.02 * min(3, len(quantities(one.text))) if weighed.kind == "number" else 0.0 for one in near}
    home = {id(one): HOME if at_home and one.source == best.source else 0.0 for one in near}
    ranked = sorted(near, key=lambda one: -(weighed.relevance[id(one)] + one.bonus + figures[id(one)] + home[id(one)]))
    kept: list[Unit] = []
    for one in ranked:
        if len(kept) < FITTING and not any(alike(one.text, other.text) for other in kept):
            kept.append(one)
    return kept


@dataclass(slots=True)
class _Weighed:
    """What the sentences are worth to one clause."""

    clause: str
    kind: AnswerType
    values: dict[str, float]
    near_by: dict[str, float]
    fits: dict[int, float]
    relevance: dict[int, float]
    leads_on: bool
    """Whether the answer leads from one name to another."""
    several: bool
    """Whether several things are asked for."""
    comparable: bool
    """False where nothing has a word in common and no model of meaning is at hand: what found it cannot be asked again."""


def _weigh(clause: str, question: str, units: Sequence[Unit]) -> _Weighed:
    values = _values(clause, question, units)
    leads_on = describes(clause)
    kind = answer_type(clause)
    told_last, told_first = reversed(terms(clause)), terms(clause)
    weighty = next((term for term in (told_last if leads_on else told_first) if term in values), "")
    if leads_on or kind == "definition":
        values[weighty] = PREDICATE * values.get(weighty, 0.0)
    texts = [one.text for one in units]
    near_by = with_words(clause, texts, _meant(likeness(clause, texts)))
    fits = {id(one): fit(clause, kind, one.text) for one in units}
    relevance = {id(one): _relevance(one, values, near_by, clause) for one in units}
    years = set(_YEAR.findall(clause))
    total = sum(values.values()) or 1.0
    point = _point_of(clause, values, units)
    for one in units:
        if point and not leads_on and point not in one.held | one.beside:
            relevance[id(one)] *= OFF_POINT
        if years and not years & one.held:
            relevance[id(one)] *= OTHER_YEAR if _YEAR.search(one.text) else NO_YEAR
        opened = frozenset(terms(one.text[:OPENED]))
        one.bonus += OPENING * sum(values[term] for term in opened if term in values) / total
    several = leads_on or bool(_SEVERAL.search(clause))
    comparable = bool(near_by) or any(relevance.values())
    return _Weighed(clause, kind, values, near_by, fits, relevance, leads_on, several, comparable)


def _chosen(weighed: _Weighed, units: Sequence[Unit], most: int, told: Sequence[Unit]) -> list[Unit]:
    """Take the best sentences one by one; of a question that asks for several things, what is still untold counts more."""
    left, chosen, said, first = list(units), list[Unit](), Counter[str](), 0.0
    least = LEADING if weighed.leads_on else ALSO_LISTED if weighed.several else ALSO
    while left and len(chosen) < most:
        merits = {id(one): _merit(one, weighed, said) for one in left}
        best = max(left, key=lambda one: merits[id(one)])
        if chosen and merits[id(best)] < least * first:
            break
        left.remove(best)
        point = _point(chosen[0], weighed.values) if chosen and not weighed.several else ""
        off_point = bool(point) and point not in best.held | best.beside
        if off_point or any(alike(best.text, other.text) for other in [*chosen, *(told if chosen else [])]):
            continue
        first = first or merits[id(best)]
        chosen.append(best)
        if weighed.several:
            said.update(best.held & weighed.values.keys())
    return chosen


def _merit(one: Unit, weighed: _Weighed, said: Mapping[str, int]) -> float:
    """Return what a sentence adds to those that are chosen, whose terms were `said` so often."""
    own = weighed.relevance[id(one)]
    if said:
        again = AGAIN_LEADING if weighed.leads_on else AGAIN
        values = {term: value * again ** said.get(term, 0) for term, value in weighed.values.items()}
        near_by = {} if weighed.leads_on else weighed.near_by
        own = _relevance(one, values, near_by, weighed.clause, sum(weighed.values.values()))
    least = 0.35 if weighed.kind in _STRICT else 0.55 if weighed.kind == "definition" else 0.8
    fitting = least + (1 - least) * weighed.fits[id(one)]
    return own * fitting * (0.75 if one.row and weighed.kind != "number" else 1.0) + one.bonus * min(1.0, 2 * own)


def _point_of(clause: str, values: Mapping[str, float], units: Sequence[Unit]) -> str:
    """Return the rarest term of a clause that some sentence holds; empty where none is held."""
    known = frozenset[str]().union(*(one.held for one in units))
    return max(
        (term for term in terms(clause) if term in values and term in known), key=lambda term: values[term], default=""
    )


def _point(one: Unit, values: Mapping[str, float]) -> str:
    """Return the rarest of the terms asked about that a sentence holds; empty where it holds none."""
    return max((term for term in values if term in one.held), key=lambda term: values[term], default="")


def _all_told(chosen: Sequence[Unit], values: Mapping[str, float], relevance: Mapping[int, float]) -> bool:
    """Tell whether the best sentence holds enough, or the chosen ones do together, as on the way from one name to another."""
    if max(relevance[id(one)] for one in chosen) >= ANSWERS:
        return True
    return _together(chosen, values) >= 0.7


def _together(chosen: Sequence[Unit], values: Mapping[str, float]) -> float:
    """Return the share of what is asked that some of the sentences hold."""
    held = frozenset[str]().union(*(one.held for one in chosen))
    return sum(value for term, value in values.items() if term in held) / (sum(values.values()) or 1.0)


def _values(clause: str, question: str, units: Sequence[Unit]) -> dict[str, float]:
    """Return what each term of a clause is worth: rare ones most, those of the question's other clauses less."""
    own = [term for term in dict.fromkeys(terms(clause)) if term not in _GENERIC] or list(dict.fromkeys(terms(clause)))
    others = [term for term in dict.fromkeys(terms(question)) if term not in _GENERIC and term not in own]
    held = [one.held for one in units]
    values = worth([*own, *others], held, "\n".join(one.text for one in units))
    known = frozenset[str]().union(*held)
    unheard = UNHEARD * math.log(2 * (len(units) + 1))
    values.update({term: unheard for term in own if term not in known and len(term) == 2 and has_cjk(term)})
    return {term: value * (1.0 if term in own else ELSEWHERE) for term, value in values.items()}


def _meant(cosines: Mapping[str, float]) -> dict[str, float]:
    """Turn cosines into what sentences have in common with a question, from 0 to 1."""
    low = max(LOW, median(cosines.values())) if len(cosines) > FEW else LOW
    return {text: min(1.0, max(0.0, (cosine - low) / SPAN)) for text, cosine in cosines.items()}


def _relevance(
    one: Unit, values: Mapping[str, float], near_by: Mapping[str, float], clause: str, whole: float = 0.0
) -> float:
    """Tell from 0 to 1 how much of a clause a sentence is about: by its words, those beside it, and its meaning."""
    total = whole or sum(values.values()) or 1.0
    own = sum(value for term, value in values.items() if term in one.held)
    beside = sum(value for term, value in values.items() if term in one.beside and term not in one.held)
    covered = (own + BESIDE * beside) / total
    if one.text not in near_by:
        return covered
    meant = near_by[one.text]
    if has_cjk(clause) != has_cjk(one.text):
        return max(covered, meant)
    share = MEANT_CHINESE if has_cjk(clause) else MEANT
    return (1 - share) * covered + share * meant


def alike(one: str, other: str) -> bool:
    """Tell whether two sentences say the same, or one holds the other; other figures are another statement."""
    left, right = set(tokens(one)), set(tokens(other))
    figures = [{term for term in each if term[0].isdigit()} for each in (left - right, right - left)]
    if all(figures):
        return False
    return not left or len(left & right) >= 0.8 * min(len(left), len(right))
