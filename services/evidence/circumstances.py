"""Whether a claim gives what its quotes tell another time or place than they do."""

import re
from collections.abc import Sequence
from itertools import islice

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import ALIKE, MAX_SEGMENTS, Segments, Turned, nearest
from services.evidence.subject_binding import worked_out
from services.text.numbers import MONTHS
from services.text.shares import shares_of
from services.text.tokens import has_cjk

CLAUSE = 0.75
"""Least share of a claim's words, but its year, that a whole clause must hold to be what the claim dates."""
MAX_TIMES = 60
"""Times of a text that are read."""
_RELATIVE = re.compile(
    r"\b(?:before|after|since|until|till|by|from|between|earlier|later|first|already|still|only)\b|[前后起]|以来|截[至止]|[自从至到]\s?\d|年\s?[至到]",
    re.IGNORECASE,
)
"""Words with which a year is no time at which something happened."""


_TIMES = re.compile(
    r"(?:\b(?:[Ii]n|[Oo]n|[Dd]uring|[Bb]y|of) )?(?:"
    r"(?P<year>(?<!\d)(?<!\d[.,])[12]\d{3}(?![\d%]|[.,]\d))(?:年(?:(?:1[0-2]|[1-9])月(?:\d{1,2}日)?)?)?|"
    rf"\b(?P<month>{'|'.join(name.title() for name in sorted(MONTHS, key=len, reverse=True) if len(name) > 3 or name == 'may')})\b|"
    r"(?<![\d年])(?P<numbered>1[0-2]|[1-9])月(?!\d)|"
    r"\b(?P<day>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b|"
    r"\b(?P<turn>(?:first|second|third|fourth|fifth|sixth|last) (?:year|day|week|month|season|half|stage|quarter|round|set|game))\b|"
    r"(?P<ordinal>第[一二三四五六七八九十\d]{1,3}(?:年|天|周|届|轮|节|场|季))"
    r")"
)
"""Times of several kinds, each with the word before it."""
_Times = dict[str, set[str]]


def dated(claim: Reading, quotes: Sequence[Reading], keyed: Segments) -> Turned | None:
    """Tell whether all that says most of the claim, or of a segment of it, gives another time of the same kind for it."""
    if _RELATIVE.search(claim.text):
        return None
    if worked_out(claim.text, frozenset(key for quote in quotes for key in word_keys(quote.text))) or shares_of(
        claim.text
    ):
        return None
    known = _times("\n".join(quote.text for quote in quotes))
    clauses = [(clause, frozenset(word_keys(clause))) for quote in quotes for clause in quote.clauses]
    for kind, times in _times(claim.text).items():
        whole = len(times) == 1
        for part in [claim.text] if whole else claim.segments:
            mine = _times(part).get(kind, set())
            if len(mine) != 1 or not (mine <= known.get(kind, set()) or kind in {"turn", "ordinal"}):
                continue
            for texts, least in ((keyed.near if whole else (), ALIKE), (clauses, CLAUSE)):
                near = [text for text, score in nearest(_TIMES.sub(" ", part), texts) if score >= least]
                if near and _of_another_time(part, kind, mine, near, keyed):
                    return Turned("period", (near[0],))
    return None


def _times(text: str) -> _Times:
    times: _Times = {}
    for found in islice(_TIMES.finditer(text), MAX_TIMES):
        for kind, said in found.groupdict().items():
            if said and kind == "month":
                times.setdefault("numbered", set()).add(str(MONTHS[said.lower()]))
            elif said:
                times.setdefault(kind, set()).add(said)
    return times


def _of_another_time(part: str, kind: str, mine: set[str], near: Sequence[str], keyed: Segments) -> bool:
    """Tell whether texts that say what a part of a claim says give other times for it.

    What they do not say may be of the claim's time: `The line was opened in 2019 and closed in 2021`.
    """
    given = [_times(text).get(kind, set()) for text in near]
    if not all(times and mine.isdisjoint(times) for times in given):
        return False
    others = _words_but_times(part).difference(*map(_words_but_times, near))
    of_that_time = (text for text, _ in keyed.all if mine & _times(text).get(kind, set()))
    return not any(others & _words_but_times(text) for text in of_that_time)


def _words_but_times(text: str) -> frozenset[str]:
    return frozenset(word_keys(_TIMES.sub(" ", text)))


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
_ENGLISH_SIDE = re.compile(
    r"\b(?P<side>before|after) (?P<event>(?:the |his |her |its |their )?[a-z]{4,20}(?: [a-z]{4,20})?)\b"
)


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
    others = (
        frozenset(word_keys(other["name"])) for other in _PLACE.finditer(text) if other["preposition"] == preposition
    )
    return name.isdisjoint(word_keys(text)) and any(others)
