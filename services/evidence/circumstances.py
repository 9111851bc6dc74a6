"""Whether a claim gives what its quotes tell another time or place than they do."""

import re
from collections.abc import Sequence
from itertools import islice

from services.evidence.period_binding import Period
from services.evidence.readings import Reading, conflict, read, word_keys
from services.evidence.segments import ALIKE, MAX_SEGMENTS, Segments, Turned, nearest
from services.evidence.subject_binding import worked_out
from services.text.tokens import has_cjk

CLAUSE = 0.75
"""Least share of a claim's words, but its year, that a whole clause must hold to be what the claim dates."""
_RELATIVE = re.compile(
    r"\b(?:before|after|since|until|till|by|from|between|earlier|later|first|already|still|only)\b|[前后起]|以来|截[至止]|[自从至到]\s?\d|年\s?[至到]",
    re.IGNORECASE,
)
"""Words with which a year is no time at which something happened."""


def dated(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether all that says most of the claim, or of a segment of it, gives another year for it than the claim does."""
    written = frozenset(period for quote in quotes for period in _years(quote.periods))
    if _RELATIVE.search(claim.text):
        return None
    if worked_out(claim.text, frozenset(key for quote in quotes for key in word_keys(quote.text))):
        return None
    clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
    whole = len(_years(claim.periods)) == 1
    for part in [claim.text] if whole else claim.segments:
        mine = _years(read(part).periods)
        if len(mine) != 1 or not mine <= written:
            continue
        for texts, least in ((keyed.near if whole else (), ALIKE), (clauses, CLAUSE)):
            near = [text for text, score in nearest(_YEARS.sub(" ", part), texts) if score >= least]
            if near and _of_another_year(part, mine, near, keyed):
                return Turned("period", (near[0],))
    return None


def _of_another_year(part: str, mine: frozenset[Period], near: Sequence[str], keyed: Segments) -> bool:
    """Tell whether texts that say what a part of a claim says give other years for it.

    What they do not say may be of the claim's year: `The line was opened in 2019 and closed in 2021`.
    """
    if not all(conflict(mine, _years(read(text).periods)) for text in near):
        return False
    others = _words_but_years(part).difference(*map(_words_but_years, near))
    of_that_year = (text for text, _ in keyed.all if mine & _years(read(text).periods))
    return not any(others & _words_but_years(text) for text in of_that_year)


def _words_but_years(text: str) -> frozenset[str]:
    return frozenset(word_keys(_YEARS.sub(" ", text)))


_YEARS = re.compile(r"\b(?:[Ii]n|[Oo]n|[Dd]uring) (?=[12]\d{3}\b)|[12]\d{3}年?")


def _years(periods: frozenset[Period]) -> frozenset[Period]:
    return frozenset((year, None, None) for year, _, _ in periods if year is not None)



_SINCE = re.compile(r"\b(?P<word>since|until|till) (?:the |early |late |about )?(?P<year>[12]\d{3})\b", re.IGNORECASE)


def bounded(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the quotes have what the claim says begin or end in another year: `since 2007` for `since 2010`."""
    text = "\n".join(quote.text for quote in quotes)
    given = [(found["word"].lower(), found["year"]) for found in _SINCE.finditer(text)]
    for found in islice(_SINCE.finditer(claim.text), MAX_SEGMENTS):
        years = [year for word, year in given if word == found["word"].lower()]
        if years and found["year"] not in years and found["year"] in text:
            return Turned("period", (years[0],))
    return None


_BEFORE_OR_AFTER = re.compile(r"(?<![到至])(?P<event>[\u4e00-\u9fff]{2})[之以]?(?P<side>[前后])(?![来期者方面往台程])")
_ENGLISH_SIDE = re.compile(r"\b(?P<side>before|after) (?P<event>(?:the |his |her |its |their )?[a-z]{4,20}(?: [a-z]{4,20})?)\b")


def before_or_after(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether the claim has after an event what the quotes have before it, or the other way round."""
    pattern = _BEFORE_OR_AFTER if has_cjk(claim.text) else _ENGLISH_SIDE
    given = {(found["event"], found["side"]) for quote in quotes for found in pattern.finditer(quote.text)}
    for found in islice(pattern.finditer(claim.text), MAX_SEGMENTS):
        other = {side for event, side in given if event == found["event"]}
        if other and found["side"] not in other:
            return Turned("opposite", (found.group(),))
    return None


_PLACE = re.compile(
    r"\b(?P<preposition>in|at|on|from|to|for|of) (?P<name>(?:the )?[A-Z][\w.’'-]{1,30}(?: [A-Z][\w.’'-]{1,30}){0,3})"
)


def placed(claim: Reading, _: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether the segments that say what a segment of the claim says name another place behind the same preposition."""
    if has_cjk(claim.text):
        return None
    known = frozenset(key for _text, keys in keyed.all for key in keys)
    for segment in claim.segments:
        for found in _PLACE.finditer(segment):
            name = frozenset(word_keys(found["name"]))
            rest = f"{segment[: found.start()]} {segment[found.end() :]}"
            near = [text for text, score in nearest(rest, keyed.all) if score >= CLAUSE]
            if near and name and name <= known and all(_elsewhere(text, found["preposition"], name) for text in near):
                return Turned("roles", (near[0],))
    return None


def _elsewhere(text: str, preposition: str, name: frozenset[str]) -> bool:
    """Tell whether a text has a preposition with another name, and nowhere the name itself."""
    others = (frozenset(word_keys(other["name"])) for other in _PLACE.finditer(text) if other["preposition"] == preposition)
    return name.isdisjoint(word_keys(text)) and any(others)
