"""Finds contradictions between sources: sentences on the same subject, quantity and period with different figures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView
from services.text.measures import Measure, measures
from services.text.outdated_quotes import on_one_thing
from services.text.passages import sentences
from services.text.questions import names_in
from services.text.quotable import quotable
from services.text.terms import terms
from services.text.tokens import STOP_WORDS, has_cjk, tokens

MOST_CONFLICTS = 3
"""Maximum number of contradictions."""
MOST_COMPARED = 300
"""Maximum number of statements to compare; the time grows with their square."""
LONGEST_SUBJECT = 200
"""Words of a statement in which a subject is searched; the time of a comparison grows with the product of both lengths."""
_RUN = re.compile(r"[\u4e00-\u9fff]|[\w'’-]+")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_ABBREVIATION = re.compile(r"[A-Z][A-Za-z]*\d*[A-Z\d][A-Za-z\d-]*")
"""A short name of a trial or device, also in Chinese texts: `ATOM1`."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence with figures."""

    id: str
    """Id of its excerpt."""
    title: str
    text: str
    measured: Sequence[Measure]
    words: frozenset[str]
    """Its terms without figures."""
    years: frozenset[str]
    """Years in the sentence, or in its source's title if the sentence names none."""
    names: frozenset[str]
    """Terms of the names and short names in the sentence."""


def contradictions_in(evidence: Sequence[EvidenceView]) -> list[Contradiction]:
    """Return pairs of excerpts of different sources with different figures for one thing; one pair of two sources for each topic."""
    conflicts: list[Contradiction] = []
    named: set[tuple[str, frozenset[str]]] = set()
    statements = [
        statement for excerpt in evidence if excerpt.kind != "computation" for statement in _statements(excerpt)
    ]
    for first, other in combinations(statements[:MOST_COMPARED], 2):
        if first.title == other.title or not _same_matter(first, other):
            continue
        if differing := _differing(first.measured, other.measured):
            topic = _subject(first.text, other.text)
            key = (topic, frozenset([first.title, other.title]))
            if key in named:
                continue
            named.add(key)
            conflicts.append(Contradiction(topic=topic, excerpt_ids=[first.id, other.id], explanation=differing))
            if len(conflicts) == MOST_CONFLICTS:
                break
    return conflicts


def _statements(excerpt: EvidenceView) -> list[_Statement]:
    texts = [excerpt.quote[span.own : span.end] for span in quotable(excerpt.quote) if not span.row]
    texts = texts or [excerpt.quote[span.start : span.end] for span in sentences(excerpt.quote)]
    return [
        _Statement(
            excerpt.id,
            excerpt.title,
            text,
            measured,
            frozenset(term for term in tokens(text) if not term[0].isdigit()),
            frozenset(_YEAR.findall(text) or _YEAR.findall(excerpt.title)),
            frozenset(term for name in [*names_in(text), *_ABBREVIATION.findall(text)] for term in terms(name)),
        )
        for text in texts
        if (measured := measures(text))
    ]


def _same_matter(first: _Statement, other: _Statement) -> bool:
    """Tell whether two statements are on the same subject and period: their words, and any years and names of both, overlap."""
    if first.years and other.years and not first.years & other.years:
        return False
    if first.names and other.names and not first.names & other.names:
        return False
    return on_one_thing(first.words, other.words)


def _differing(left: Sequence[Measure], right: Sequence[Measure]) -> str:
    """Return the measures of one kind in which two statements differ; empty if they share a measure of every kind."""
    kinds = [kind for kind in dict.fromkeys(measure.kind for measure in left) if kind]
    differences: list[str] = []
    for kind in kinds:
        own, others = ([measure for measure in side if measure.kind == kind] for side in (left, right))
        if own and others and not any(a.agrees(b) for a in own for b in others):
            differences.append(f"{', '.join(a.text for a in own)} / {', '.join(b.text for b in others)}")
    return "; ".join(differences)


def _subject(quote: str, other: str) -> str:
    """Return the longest sequence of words that two statements share, without stop words and figures at its ends."""
    left, right = (_RUN.findall(text)[:LONGEST_SUBJECT] for text in (quote, other))
    runs = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    longest = max(runs, key=lambda run: run.size)
    words = left[longest.a : longest.a + longest.size]
    while words and _is_empty(words[-1]):
        words.pop()
    while words and _is_empty(words[0]):
        words.pop(0)
    return ("" if has_cjk(quote) else " ").join(words)[:100]


def _is_empty(word: str) -> bool:
    return word.lower() in STOP_WORDS or word in "的是为在于和与达了约" or any(char.isdigit() for char in word)
