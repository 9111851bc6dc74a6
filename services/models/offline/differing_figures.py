"""Finds figures that differ: statements of two sources in almost the same words with different measures of one kind, and of one source in the same words."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView
from services.models.offline.closest import closest_passages, parts_of, statements_in
from services.text.measures import UNIT_WORDS, Measure, measures
from services.text.tables import row_of
from services.text.tokens import tokens

MAX_PAIRS = 3
MAX_NEAR = 8
"""Passages closest to each part of the question whose figures are compared, twice as many as are shown: others differ in what nobody asked."""
MIN_SHARED, SHARED = 5, 0.45
"""Terms that two statements must share, and their share of the shorter one, to be on one thing."""
MIN_WHOLE = 3
"""Terms that suffice where the shorter statement has no others, and they are half of the longer one."""
MAX_STATEMENTS = 200
"""Maximum number of statements to compare; the time grows with their square."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def differing_figures(question: str, evidence: Sequence[EvidenceView]) -> list[Contradiction]:
    """Return pairs of close excerpts with different figures for one thing, one for each two sources; rows of tables are left out.

    A source that disagrees with itself is a pair, too, or one excerpt where both statements stand in it. What one source says in almost
    the same words is mostly of two cases, so there each statement has a single measure, and one has all words of the other.
    """
    parts = parts_of(question)
    closest = {view.id for part in parts for view, _ in closest_passages(question, evidence, MAX_NEAR, part)}
    statements = [
        (excerpt, measured, frozenset(_terms(text)), set(_YEAR.findall(text)))
        for excerpt in evidence
        if excerpt.id in closest
        for text in statements_in(excerpt.quote)
        if row_of(text) is None and (measured := measures(text))
    ][:MAX_STATEMENTS]
    by_titles: dict[frozenset[str], Contradiction] = {}
    for (first, left, own, years), (other, right, others, later) in combinations(statements, 2):
        titles = frozenset([first.title, other.title])
        other_time = bool(years and later and not years & later)
        if titles in by_titles or other_time or not _on_one_thing(own, others):
            continue
        if len(titles) == 1 and not (len(left) == len(right) == 1 and (own <= others or others <= own)):
            continue
        if figures := _differing(left, right):
            sides = list(dict.fromkeys([first.id, other.id]))
            by_titles[titles] = Contradiction(topic="", excerpt_ids=sides, explanation=figures)
    return list(by_titles.values())[:MAX_PAIRS]


def _terms(text: str) -> Iterator[str]:
    """Yield the terms that say what is measured."""
    return (term for term in tokens(text) if not term[0].isdigit() and term not in UNIT_WORDS)


def _differing(left: Sequence[Measure], right: Sequence[Measure]) -> str:
    """Return the measures of one kind in which two statements differ; empty if they share a measure of every kind."""
    differences: list[str] = []
    for kind in dict.fromkeys(measure.kind for measure in left if measure.kind):
        own, others = ([measure for measure in side if measure.kind == kind] for side in (left, right))
        if others and not any(a.agrees(b) for a in own for b in others):
            differences.append(f"{', '.join(a.text for a in own)} / {', '.join(b.text for b in others)}")
    return "; ".join(differences)


def _on_one_thing(own: frozenset[str], others: frozenset[str]) -> bool:
    shared, fewer, more = len(own & others), *sorted([len(own), len(others)])
    return shared >= max(MIN_SHARED, SHARED * fewer) or (shared == fewer >= max(MIN_WHOLE, more / 2))
