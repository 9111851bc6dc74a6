"""Figures of several sources for one thing: whether they differ, and which statements contradict each other."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import NamedTuple

from schemas.evidence import Contradiction
from schemas.evidence_view import EvidenceView
from services.models.offline.answer_kinds import asked_measures
from services.models.offline.ranked_sentences import Piece, Sentence, sentences_of
from services.text.measures import Measure, measures
from services.text.outdated_quotes import on_one_thing
from services.text.questions import names_in
from services.text.terms import terms
from services.text.tokens import STOP_WORDS, has_cjk

MAX_OTHERS = 2
"""Other figures that are told beside an answer."""
MAX_CONFLICTS = 3
"""Contradictions that are named."""
MAX_COMPARED = 300
"""Statements that are compared with each other; comparing takes time with their square."""
LONGEST_SUBJECT = 200
"""Words of a statement in which a subject is looked for; comparing two takes time with the product of their lengths."""
_RUN = re.compile(r"[\u4e00-\u9fff]|[\w'’-]+")
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_ABBREVIATION = re.compile(r"[A-Z][A-Za-z]*\d*[A-Z\d][A-Za-z\d-]*")
"""A name of a trial or a device, in Chinese texts too: `ATOM1`."""


class _Statement(NamedTuple):
    """A sentence with figures."""

    sentence: Sentence
    measured: Sequence[Measure]
    years: set[str]
    """That it names, or its source's title where it names none."""
    names: set[str]
    """Terms of the names in it, each also where only a part of it is told elsewhere."""


def restates(first: Sentence, other: Sentence) -> bool:
    """Tell whether two sentences are on one thing, figures apart."""
    words = [{term for term in terms(each.text) if not term[0].isdigit()} for each in (first, other)]
    return on_one_thing(words[0], words[1])


def differ(clause: str, first: Sentence, other: Sentence) -> bool:
    """Tell whether two sentences give figures of what is asked for that do not agree, and name no other year."""
    years = [set(_YEAR.findall(each.said)) for each in (first, other)]
    if all(years) and not years[0] & years[1]:
        return False
    left, right = (asked_measures(clause, each.said) for each in (first, other))
    same_kind = {measure.kind for measure in left} & {measure.kind for measure in right}
    if "percent" in same_kind and not restates(first, other):  # a percentage is of anything
        return False
    return bool(same_kind) and not any(a.agrees(b) for a in left for b in right if a.kind == b.kind)


def contradictions_in(evidence: Sequence[EvidenceView]) -> list[Contradiction]:
    """Return pairs of excerpts of different sources that give other figures for one thing, one of two sources for each topic."""
    pieces = [Piece(item.id, item.title, item.quote) for item in evidence if item.kind != "computation"]
    statements = [
        _Statement(sentence, measured, _years_of(sentence), _names_of(sentence.text))
        for sentence in sentences_of(pieces)
        if not sentence.cells and (measured := measures(sentence.text))
    ]
    conflicts: dict[tuple[str, frozenset[str]], Contradiction] = {}
    for left, right in combinations(statements[:MAX_COMPARED], 2):
        titles = frozenset([left.sentence.title, right.sentence.title])
        if len(titles) == 1 or not _on_one_matter(left, right):
            continue
        if differing := _differing(left.measured, right.measured):
            topic = _subject(left.sentence.text, right.sentence.text)
            ids = [left.sentence.id, right.sentence.id]
            conflict = Contradiction(topic=topic, excerpt_ids=ids, explanation=differing)
            conflicts.setdefault((topic, titles), conflict)
            if len(conflicts) == MAX_CONFLICTS:
                break
    return list(conflicts.values())


def _years_of(sentence: Sentence) -> set[str]:
    return set(_YEAR.findall(sentence.text) or _YEAR.findall(sentence.title))


def _names_of(text: str) -> set[str]:
    return {term for name in [*names_in(text), *_ABBREVIATION.findall(text)] for term in terms(name)}


def _on_one_matter(left: _Statement, right: _Statement) -> bool:
    """Tell whether two statements are on the same subject and period: neither names another thing, or another year, than the other."""
    if left.years and right.years and not left.years & right.years:
        return False
    if left.names and right.names and not left.names & right.names:
        return False
    return restates(left.sentence, right.sentence)


def _differing(left: Sequence[Measure], right: Sequence[Measure]) -> str:
    """Return the measures of one kind that two statements do not share; empty where each kind has one in common."""
    differences: list[str] = []
    for kind in dict.fromkeys(measure.kind for measure in left if measure.kind):
        own, others = ([measure for measure in side if measure.kind == kind] for side in (left, right))
        if own and others and not any(a.agrees(b) for a in own for b in others):
            differences.append(f"{', '.join(a.text for a in own)} / {', '.join(b.text for b in others)}")
    return "; ".join(differences)


def _subject(quote: str, other: str) -> str:
    """Return the longest run of words that two statements share, without its ends that say nothing or name a figure."""
    left, right = (_RUN.findall(text)[:LONGEST_SUBJECT] for text in (quote, other))
    runs = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    longest = max(runs, key=lambda run: run.size)
    words = left[longest.a : longest.a + longest.size]
    telling = [place for place, word in enumerate(words) if not _is_empty(word)]
    shared = words[telling[0] : telling[-1] + 1] if telling else []
    return ("" if has_cjk(quote) else " ").join(shared)[:100]


def _is_empty(word: str) -> bool:
    return word.lower() in STOP_WORDS or word in "的是为在于和与达了约" or any(char.isdigit() for char in word)
