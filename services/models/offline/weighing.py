"""What each sentence of the evidence is worth to a clause of a question."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from services.models.offline.answers import AnswerType, answer_type, fit
from services.models.offline.language import GENERIC, describes
from services.models.offline.meaning import likeness, with_words
from services.models.offline.sections import Evidence
from services.models.offline.terms import terms, worth
from services.models.offline.wording import is_heading, quotable
from services.search.tokens import has_cjk, tokens

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
STRICT: frozenset[AnswerType] = frozenset(["number", "date", "place", "person"])
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


@dataclass(slots=True)
class Weighed:
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


def weigh(clause: str, question: str, units: Sequence[Unit]) -> Weighed:
    """Weigh every sentence for a clause: by its words and their meaning, the year asked about, and what it begins with."""
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
    return Weighed(clause, kind, values, near_by, fits, relevance, leads_on, several, comparable)


def merit(one: Unit, weighed: Weighed, said: Mapping[str, int]) -> float:
    """Return what a sentence adds to those that are chosen, whose terms were `said` so often."""
    own = weighed.relevance[id(one)]
    if said:
        again = AGAIN_LEADING if weighed.leads_on else AGAIN
        values = {term: value * again ** said.get(term, 0) for term, value in weighed.values.items()}
        near_by = {} if weighed.leads_on else weighed.near_by
        own = _relevance(one, values, near_by, weighed.clause, sum(weighed.values.values()))
    least = 0.35 if weighed.kind in STRICT else 0.55 if weighed.kind == "definition" else 0.8
    fitting = least + (1 - least) * weighed.fits[id(one)]
    return own * fitting * (0.75 if one.row and weighed.kind != "number" else 1.0) + one.bonus * min(1.0, 2 * own)


def _point_of(clause: str, values: Mapping[str, float], units: Sequence[Unit]) -> str:
    """Return the rarest term of a clause that some sentence holds; empty where none is held."""
    known = frozenset[str]().union(*(one.held for one in units))
    return max(
        (term for term in terms(clause) if term in values and term in known), key=lambda term: values[term], default=""
    )


def point_held(one: Unit, values: Mapping[str, float]) -> str:
    """Return the rarest of the terms asked about that a sentence holds; empty where it holds none."""
    return max((term for term in values if term in one.held), key=lambda term: values[term], default="")


def together(chosen: Sequence[Unit], values: Mapping[str, float]) -> float:
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
