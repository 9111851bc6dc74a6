"""What two excerpts say differently of one thing, as far as code can see: figures, dates, a denial, opposite words; and where they agree."""

from collections.abc import Iterator
from itertools import combinations, product

from schemas.evidence import Difference
from services.check.compared_text import ComparedText, Figure, conflicting, name_parts, read
from services.check.numbers import equal
from services.check.suspicions import nearest_clause
from services.text.measures import MEASURED_KINDS
from services.text.passages import sentences
from services.text.polarity import negated, opposite
from services.text.tokens import has_cjk

MAX_FIGURES = 60
"""Figures of an excerpt that are compared."""


def difference(first: str, other: str) -> Difference:
    """Return what two excerpts differ in; empty where code sees no difference."""
    left, right = read(first), read(other)
    for mine, theirs in _of_one_thing(left, right):
        if not equal(mine.measure, theirs.measure) and not _gives(left, theirs) and not _gives(right, mine):
            return "numbers"
    if has_cjk(first) != has_cjk(other):
        return ""
    for clause in left.clauses:
        counterpart = nearest_clause(clause, [right])
        if counterpart and negated(counterpart) is not negated(clause):
            return "negation"
        if counterpart and (opposite(clause, counterpart) or opposite(counterpart, clause)):
            return "opposites"
    return "dates" if _other_years(left, right) else ""


def difference_within(text: str) -> Difference:
    """Return whether two sentences of an excerpt give one thing different figures; a denial beside another sentence is no disagreement."""
    parts = [text[span.start : span.end] for span in sentences(text)]
    return "numbers" if any(difference(first, other) == "numbers" for first, other in combinations(parts, 2)) else ""


def agreement(first: str, other: str) -> bool:
    """Tell whether two excerpts give one thing the same figure."""
    left, right = read(first), read(other)
    kinds = {figure.measure.kind for figure in (*left.figures, *right.figures)} & MEASURED_KINDS
    compared = kinds - {"time"} or kinds  # a time beside other figures says when or how long they were measured
    return not difference(first, other) and any(
        mine.measure.kind in compared and equal(mine.measure, theirs.measure)
        for mine, theirs in _of_one_thing(left, right)
    )


def _of_one_thing(left: ComparedText, right: ComparedText) -> Iterator[tuple[Figure, Figure]]:
    """Yield the pairs of figures of one kind, period and subject in contexts with mostly the same words."""
    for mine, theirs in product(left.figures[:MAX_FIGURES], right.figures[:MAX_FIGURES]):
        if (
            mine.measure.kind == theirs.measure.kind
            and not conflicting(mine.periods, theirs.periods)
            and not _other_names(mine, theirs)
            and _alike(mine, theirs)
        ):
            yield mine, theirs


def _other_names(mine: Figure, theirs: Figure) -> bool:
    left, right = name_parts(mine.subjects), name_parts(theirs.subjects)
    return bool(left and right) and not left & right


def _alike(mine: Figure, theirs: Figure) -> bool:
    """Tell whether one context has all words of the other; of contexts in two languages, whether they share a name."""
    if mine.chinese is not theirs.chinese:
        return bool(name_parts(mine.subjects) & name_parts(theirs.subjects))
    left, right = mine.clause or mine.words, theirs.clause or theirs.words
    common, smaller = len(left & right), min(len(left), len(right))
    return 0 < common == smaller


def _gives(reading: ComparedText, figure: Figure) -> bool:
    return any(equal(figure.measure, other.measure) for other in reading.figures)


def _other_years(left: ComparedText, right: ComparedText) -> bool:
    """Tell whether two excerpts without figures date one event to different times."""
    return not (left.figures or right.figures) and any(
        conflicting(mine.periods, theirs.periods) and _alike(mine, theirs) and not _other_names(mine, theirs)
        for mine, theirs in product(left.years[:MAX_FIGURES], right.years[:MAX_FIGURES])
        if all(conflicting(year.periods, mine.periods) for year in right.years)
        and all(conflicting(year.periods, theirs.periods) for year in left.years)
    )
