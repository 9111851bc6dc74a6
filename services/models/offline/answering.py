"""Which sentences of the evidence answer a question, and whether any does."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.evidence.numbers import quantities
from services.models.offline.language import clauses_of, names_in
from services.models.offline.recommending import asks_what_is_said
from services.models.offline.sections import Evidence
from services.models.offline.terms import terms
from services.models.offline.weighing import STRICT, Unit, Weighed, alike, merit, point_held, together, units_of, weigh
from services.models.offline.wording import is_heading
from services.search.tokens import has_cjk

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
ALSO, ALSO_LISTED, LEADING = 0.6, 0.45, 0.12
"""Share of the best sentence's merit that another must reach to be told, too; of a question that asks for several things; and
of one that describes what it asks about, whose answer leads from one name to another."""
_DID = re.compile(r"\s*what (?:did|does|do|has|have|had)\b", re.IGNORECASE)
_ASKS = re.compile(r"什么|多少|哪|谁|何|几|怎|吗|如何|是否|呢|多[大高长深远久宽重快]|多[少大]?$")


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


def by_relevance(question: str, evidence: Sequence[Evidence]) -> list[Evidence]:
    """Order evidence by what its best sentence says on any part of a question; without what says nothing on it."""
    best: dict[str, float] = {}
    for clause in parts_of(question):
        units = units_of(evidence)
        weighed = weigh(clause, question, units)
        for one in units:
            if weighed.relevance[id(one)] >= SHOWN:
                best[one.excerpt] = max(best.get(one.excerpt, 0.0), merit(one, weighed, {}))
    known = [one for one in evidence if one.id in best]
    return sorted(known, key=lambda one: -best[one.id])


def _answered(clause: str, question: str, units: Sequence[Unit], most: int, told: Sequence[Unit]) -> Answered:
    weighed = weigh(clause, question, units)
    chosen = _chosen(weighed, units, most, told)
    strict = weighed.kind in STRICT
    unfit = bool(chosen) and strict and max(weighed.fits[id(one)] for one in chosen) < FITS
    if unfit and (near := _fitting(weighed, units, chosen[0])):
        if _completes(weighed, near[0], chosen[0]):
            return Answered(clause, [near[0], chosen[0]][: max(1, most)], whole=True, joined=True)
        return Answered(clause, near)
    led = weighed.leads_on and together(chosen, weighed.values) >= LED
    bar = 0.0 if led or not weighed.comparable else NEAR * min(1.0, LONG / max(1, len(weighed.values)))
    if not chosen or weighed.relevance[id(chosen[0])] < bar:
        return Answered(clause)
    if any(alike(chosen[0].text, other.text) for other in told):
        return Answered(clause, whole=True)  # what was told on another clause answers this one
    if weighed.leads_on:
        chosen = _chain(clause, weighed, chosen)
    elif strict and weighed.fits[id(chosen[0])] < FITS:
        chosen = _answer_first(weighed, chosen)
    whole = not unfit and (weighed.leads_on or _all_told(chosen, weighed.values, weighed.relevance))
    whole = whole and _on_predicate(clause, weighed, chosen)
    return Answered(clause, chosen if whole else chosen[:1], whole)


def _completes(weighed: "Weighed", near: Unit, best: Unit) -> bool:
    """Tell whether a sentence gives the kind of answer that is asked for to what the best one of its source is about."""
    at_home = weighed.relevance[id(best)] >= ANSWERS and near.source == best.source
    return at_home and weighed.fits[id(near)] >= FULLY


def _answer_first(weighed: "Weighed", chosen: Sequence[Unit]) -> list[Unit]:
    """Put the sentence first that gives the kind of answer that is asked for to what the best one is about, if there is one."""
    giving = [one for one in chosen[1:] if _completes(weighed, one, chosen[0])][:1]
    return [*giving, *(one for one in chosen if one not in giving)]


def _on_predicate(clause: str, weighed: "Weighed", chosen: Sequence[Unit]) -> bool:
    """Tell whether sentences are on what happened: to `Where was she born?` one that names her and a place is no answer."""
    doing = weighed.kind == "thing" and _DID.match(clause) is not None
    if weighed.leads_on or has_cjk(clause) or not (doing or weighed.kind in {"place", "date", "person"}):
        return True
    named = {term for name in names_in(clause) for term in terms(name)}
    own = [term for term in terms(clause) if term in weighed.values and term not in named]
    predicates = own if doing else own[:1] if weighed.kind == "person" else own[-1:]
    return not predicates or any(one.held.intersection(predicates) for one in chosen[: 1 if doing else None])


def _chain(clause: str, weighed: "Weighed", chosen: Sequence[Unit]) -> list[Unit]:
    """Leave out of an answer that leads from one name to another what is on neither.

    Only where the way is told whole: one sentence answers, and another has a name of the question and one of that answer.
    """
    words = terms(clause)
    answers = [one for one in chosen if words and words[-1] in one.held and weighed.fits[id(one)] >= FULLY]
    if has_cjk(clause) or weighed.kind not in STRICT or not answers:
        return list(chosen)
    asked, told = ({terms(name)[-1] for name in names_in(text) if terms(name)} for text in (clause, answers[0].text))
    links = [one for one in chosen if asked & one.held and (told - asked) & one.held and one is not answers[0]]
    return [one for one in chosen if one is answers[0] or one in links] if links else list(chosen)


def _fitting(weighed: "Weighed", units: Sequence[Unit], best: Unit) -> list[Unit]:
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


def _chosen(weighed: Weighed, units: Sequence[Unit], most: int, told: Sequence[Unit]) -> list[Unit]:
    """Take the best sentences one by one; of a question that asks for several things, what is still untold counts more."""
    left, chosen, said, first = list(units), list[Unit](), Counter[str](), 0.0
    least = LEADING if weighed.leads_on else ALSO_LISTED if weighed.several else ALSO
    while left and len(chosen) < most:
        merits = {id(one): merit(one, weighed, said) for one in left}
        best = max(left, key=lambda one: merits[id(one)])
        if chosen and merits[id(best)] < least * first:
            break
        left.remove(best)
        point = point_held(chosen[0], weighed.values) if chosen and not weighed.several else ""
        off_point = bool(point) and point not in best.held | best.beside
        if off_point or any(alike(best.text, other.text) for other in [*chosen, *(told if chosen else [])]):
            continue
        first = first or merits[id(best)]
        chosen.append(best)
        if weighed.several:
            said.update(best.held & weighed.values.keys())
    return chosen


def _all_told(chosen: Sequence[Unit], values: Mapping[str, float], relevance: Mapping[int, float]) -> bool:
    """Tell whether the best sentence holds enough, or the chosen ones do together, as on the way from one name to another."""
    if max(relevance[id(one)] for one in chosen) >= ANSWERS:
        return True
    return together(chosen, values) >= 0.7
