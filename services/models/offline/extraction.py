"""The offline researcher: selects the sentences that say most about a step, and tells how well they cover it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.evidence import Relevance
from schemas.researcher import Findings, Quotation
from services.evidence.numbers import quantities
from services.evidence.passages import bare
from services.evidence.quoting import in_quotation_marks
from services.models.offline.answers import AnswerType, answer_type, fit
from services.models.offline.language import clauses_of, names_in
from services.models.offline.meaning import nearness
from services.models.offline.recommending import asks_what_is_said
from services.models.offline.sections import Prompt
from services.models.offline.terms import terms, worth
from services.models.offline.wording import quotable

MAX_EXCERPTS, MOST = 6, 8
"""Sentences that are quoted for their words, and with those that hold the kind of answer that is asked for."""
PER_PASSAGE = 3
KEPT_SHARE = 0.3
"""Share of the best sentence's score that another must reach to be quoted."""
FITS, FITTING = 0.6, 5
"""From which fit on a sentence holds the kind of answer that is asked for; how many such take others' places where none was best."""
FIGURE = 0.03
"""What each of up to three figures adds where a number is asked for: the sentence that measures has several."""
MAX_FINDING = 240
"""Characters of a finding."""
_HEADING = re.compile(r"(?m)^#.*$")
_LEAD = re.compile(r"^(?:Find out|Find what is missing|查找|补充查找)[:：]\s*")


@dataclass(slots=True)
class Candidate:
    """A sentence of a passage, as it is weighed."""

    passage: str
    source: str
    heading: str
    """Without its marks; empty where there is none above the sentence in the passage."""
    rank: int
    place: int
    text: str
    """As quoted: with the sentence before it where it leans on that one."""
    own: frozenset[str]
    """Terms of the quote."""
    near: frozenset[str]
    """Terms of the sentences beside it, the headings above it and the source's title."""
    around: frozenset[str]
    """Terms of the whole passage."""
    score: float = 0.0
    fits: float = 0.0


def extract(prompt: Prompt) -> Findings:
    """Judge the passages of a step."""
    step = prompt.one("step")
    asked = _LEAD.sub("", step.body.split("\n", 1)[0])
    candidates = candidates_of(prompt)
    chosen = _said(asked, candidates) or _choose(asked, candidates, _importance(asked, step.body, prompt))
    if not chosen:
        return Findings(missing_aspects=[asked])
    best = chosen[0].score
    covered, missing = _coverage(asked, chosen, candidates)
    return Findings(
        excerpts=[
            Quotation(passage_id=one.passage, quote=one.text, relevance=_relevance(one.score / best)) for one in chosen
        ],
        finding=_finding(chosen),
        confidence=round(covered, 2),
        missing_aspects=missing,
    )


def candidates_of(prompt: Prompt) -> list[Candidate]:
    """Return the sentences of a prompt's passages that can be quoted."""
    found: list[Candidate] = []
    for rank, passage in enumerate(prompt.all("passage")):
        title = frozenset(terms(passage["source"]))
        around = frozenset(terms(passage.body)) | title
        wordings = quotable(passage.body)
        texts = [passage.body[one.start : one.end] for one in wordings]
        held = [frozenset(terms(text)) for text in texts]
        for place, (wording, text) in enumerate(zip(wordings, texts, strict=True)):
            headings = _HEADING.findall(passage.body[: wording.own])
            section = frozenset(terms(headings[-1])) if headings else frozenset[str]()
            beside = frozenset[str]().union(*held[max(0, place - 1) : place + 2])
            heading = bare(headings[-1]) if headings else ""
            near = title | section | beside
            found.append(
                Candidate(passage["id"], passage["source"], heading, rank, place, text, held[place], near, around)
            )
    return found


def _said(asked: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return what a source says, in its own order, where a step asks just that: under the heading that it names, if any."""
    quoted = in_quotation_marks(asked)
    own = [one for one in candidates if asks_what_is_said(asked, one.source)]
    named = [one for one in own if one.heading and one.heading in quoted]
    told = sorted(named or own, key=lambda one: (one.rank, one.place))
    chosen = [one for one in told if not any(one.text != other.text and one.text in other.text for other in told)]
    for one in chosen:
        one.score = 1.0
    return chosen[:MAX_EXCERPTS]


def _importance(asked: str, step: str, prompt: Prompt) -> dict[str, float]:
    """Return how much each term matters: the step's own most, those of its queries less, those of the question least."""
    importance = dict.fromkeys(terms(prompt.question), 0.25)
    importance.update(dict.fromkeys(terms(re.sub(r"</?query>", " ", step)), 0.5))
    importance.update(dict.fromkeys(terms(asked), 1.0))
    if ": " in asked:  # one of the things that the question lists, and what it asks of them all
        importance.update(dict.fromkeys(terms(asked.split(": ", 1)[1]), 0.5))
        importance.update(dict.fromkeys(terms(asked.split(": ", 1)[0]), 1.0))
    return importance


def _score(candidates: Sequence[Candidate], asked: str, importance: dict[str, float]) -> None:
    """Score every candidate from 0 to about 1 for one clause."""
    held = [one.own for one in candidates]
    known = frozenset[str]().union(*(one.around for one in candidates))
    values = worth((term for term in importance if term in known), held, "\n".join(one.text for one in candidates))
    values = {term: importance[term] * value for term, value in values.items()}
    total = sum(values.values()) or 1.0
    kind = answer_type(asked)
    named = [name.lower() for name in names_in(asked)]
    near_by = nearness(asked, [one.text for one in candidates])
    for one in candidates:
        own = sum(values[term] for term in one.own if term in values)
        near = sum(values[term] for term in one.near - one.own if term in values)
        around = sum(values[term] for term in one.around if term in values)
        covered = (own + 0.4 * near) / total
        one.fits = fit(asked, kind, one.text)
        names = sum(name in one.text.lower() for name in named)
        prior = 0.05 / (1 + 0.15 * one.rank) + (0.03 if one.place == 0 else 0.0)
        alike = near_by.get(one.text, 0.0)
        covered = max(covered, alike)
        one.score = (0.62 * covered + 0.14 * around / total + _answers(one, kind, covered)) * (
            1 + 0.06 * min(names, 3)
        ) + prior * bool(own or alike)


def _answers(one: Candidate, kind: AnswerType, covered: float) -> float:
    """Return what holding the kind of answer adds: little where the sentence is about something else."""
    return (0.2 if kind in {"number", "date", "person", "place"} else 0.12) * one.fits * min(1.0, 2 * covered)


def _choose(asked: str, candidates: list[Candidate], importance: dict[str, float]) -> list[Candidate]:
    """Take the best sentences for each clause of the step by turns, then sort them by score."""
    clauses = clauses_of(asked)
    chosen: dict[tuple[str, int], Candidate] = {}
    for clause in clauses:
        own = {**importance, **dict.fromkeys(importance.keys() & set(terms(asked)), 0.5 if len(clauses) > 1 else 1.0)}
        own.update(dict.fromkeys(terms(clause), 1.0))
        _score(candidates, clause, own)
        room = max(2, MAX_EXCERPTS // len(clauses))
        best = _best(clause, candidates, own, room)
        fitting = _fitting(clause, best, candidates)
        for one in [*best[: max(3, room - len(fitting))], *fitting]:
            earlier = chosen.get((one.passage, one.place))
            if earlier is None or earlier.score < one.score:
                chosen[one.passage, one.place] = replace(one)
    kept = sorted(chosen.values(), key=lambda one: (-one.score, one.rank, one.place))
    return _without_repetitions(kept)[:MOST]


def _fitting(clause: str, best: Sequence[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return what holds the kind of answer that is asked for where the best does not: the reporter then has the choice."""
    if answer_type(clause) not in {"number", "date", "place", "person"} or any(one.fits >= FITS for one in best[:1]):
        return []
    first = best[0].around if best else frozenset[str]()
    of_it = [one for one in candidates if one.fits >= FITS and one not in best and first & one.around]
    measured = answer_type(clause) == "number"
    figures = {id(one): FIGURE * min(3, len(quantities(one.text))) if measured else 0.0 for one in of_it}
    holding = sorted(of_it, key=lambda one: (-one.score - figures[id(one)], one.rank, one.place))
    return holding[:FITTING]


def _without_repetitions(kept: list[Candidate]) -> list[Candidate]:
    left: list[Candidate] = []
    for one in kept:
        if not any(one.text in other.text for other in left):
            left.append(one)
    return left


def _best(asked: str, candidates: Sequence[Candidate], importance: dict[str, float], most: int) -> list[Candidate]:
    """Take the best one by one: what repeats counts for less, what a chosen one names and leads to for more."""
    ranked = sorted((one for one in candidates if one.score > 0), key=lambda one: (-one.score, one.rank, one.place))[
        :40
    ]
    if not ranked:
        return []
    known = set(terms(asked))
    chosen: list[Candidate] = []
    while ranked and len(chosen) < most:
        said = frozenset[str]().union(*(one.own for one in chosen)) if chosen else frozenset[str]()
        hops = {term for one in chosen[:2] for name in names_in(one.text) for term in terms(name)} - known
        gains = [_gain(one, chosen, said, hops, importance) for one in ranked]
        top = max(range(len(ranked)), key=lambda place: gains[place])
        if chosen and gains[top] < KEPT_SHARE * chosen[0].score:
            break
        chosen.append(ranked.pop(top))
    return chosen


def _gain(
    one: Candidate, chosen: Sequence[Candidate], said: frozenset[str], hops: set[str], importance: dict[str, float]
) -> float:
    if not chosen:
        return one.score
    own = [term for term in one.own if term in importance]
    fresh = sum(importance[term] for term in own if term not in said)
    novelty = fresh / (sum(importance[term] for term in own) or 1.0)
    same = sum(other.passage == one.passage for other in chosen)
    repeated = any(len(one.own & other.own) > 0.8 * max(1, min(len(one.own), len(other.own))) for other in chosen)
    lead = 0.15 if hops and len(one.own & hops) >= 2 and not same else 0.0
    return one.score * (0.75 + 0.25 * novelty) - 0.04 * same - 1.0 * (same >= PER_PASSAGE) + lead - 0.5 * repeated


def _finding(chosen: Sequence[Candidate]) -> str:
    text = ""
    for one in chosen[:3]:
        line = " ".join(one.text.split())
        if text and (len(text) + len(line) > MAX_FINDING or one.score < 0.6 * chosen[0].score):
            break
        text = f"{text} {line}".strip()
    return text


def _coverage(asked: str, chosen: Sequence[Candidate], candidates: Sequence[Candidate]) -> tuple[float, list[str]]:
    """Return the covered share of what is asked, by rarity, and the clauses that are not covered."""
    held = [one.own for one in candidates]
    text = "\n".join(one.text for one in candidates)
    shares, missing = [], []
    for clause in clauses_of(asked):
        values = worth(terms(clause), held, text)
        covered = frozenset[str]().union(*(one.own | one.near for one in chosen))
        share = sum(value for term, value in values.items() if term in covered) / (sum(values.values()) or 1.0)
        answered = max(fit(clause, answer_type(clause), one.text) for one in chosen)
        share *= 1.0 if answered >= 0.3 else 0.5
        shares.append(share)
        if share < 0.45:
            missing.append(clause)
    return sum(shares) / len(shares), missing


def _relevance(share: float) -> Relevance:
    return "high" if share >= 0.75 else "medium" if share >= 0.55 else "low"
