"""Answers of several sources with different figures: the later one of one statement comes first, and another is told beside it."""

import re
from collections.abc import Mapping, Sequence

from services.models.offline.answer_kinds import asked_measures
from services.models.offline.ranked_sentences import Ranking, Sentence
from services.text.outdated_quotes import on_one_thing

MAX_OTHERS = 2
"""Other figures that are told."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def settled(
    ranking: Ranking, first: Sentence, answering: Sequence[Sentence], published: Mapping[str, str]
) -> tuple[Sentence, list[Sentence]]:
    """Return the sentence that answers, and those of other sources that answer with another figure.

    Where a later source makes the same statement with another figure, that is the answer.

    Args:
        ranking: of the clause.
        first: the best sentence.
        answering: every sentence that answers the clause, best first.
        published: ISO dates of sources by the ids of their excerpts; empty where they are not known.
    """
    if ranking.kind != "number":
        return first, []
    differing = [one for one in answering if one.title != first.title and _differ(ranking.clause, first, one)]
    later = [one for one in differing if _restates(first, one) and published[one.id] > published[first.id] > ""]
    best = max(later, key=lambda one: published[one.id], default=first)
    rest = {one.title: one for one in reversed([first, *differing]) if _differ(ranking.clause, best, one)}
    return best, [one for one in rest.values() if one.title != best.title][::-1][:MAX_OTHERS]


def differing(ranking: Ranking, first: Sentence, answering: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences of other sources that answer a clause for a number with another figure, one of each source."""
    if ranking.kind != "number":
        return []
    others = {one.title: one for one in reversed(answering) if one.title != first.title}
    return [one for one in reversed(others.values()) if _differ(ranking.clause, first, one)][:MAX_OTHERS]


def _restates(first: Sentence, other: Sentence) -> bool:
    words = [{term for term in one.held if not term[0].isdigit()} for one in (first, other)]
    return on_one_thing(words[0], words[1])


def _differ(clause: str, first: Sentence, other: Sentence) -> bool:
    """Tell whether two sentences give figures of what is asked for that do not agree, and name no other year."""
    years = [set(_YEAR.findall(one.said)) for one in (first, other)]
    if all(years) and not years[0] & years[1]:
        return False
    left, right = (asked_measures(clause, one.said) for one in (first, other))
    same_kind = {measure.kind for measure in left} & {measure.kind for measure in right}
    if "percent" in same_kind and not _restates(first, other):  # a percentage is of anything
        return False
    return bool(same_kind) and not any(a.agrees(b) for a in left for b in right if a.kind == b.kind)
