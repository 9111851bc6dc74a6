"""Settles answers of several sources with different figures: a later source's update comes first, other figures are listed."""

import re
from collections.abc import Mapping, Sequence

from services.models.offline.answer_kinds import asked_measures
from services.models.offline.ranked_sentences import Ranking, Sentence
from services.text.outdated_quotes import on_one_thing

MAX_OTHERS = 2
"""Maximum number of other figures to report."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def settled(
    ranking: Ranking, first: Sentence, answering: Sequence[Sentence], published: Mapping[str, str]
) -> tuple[Sentence, list[Sentence]]:
    """Return the sentence that answers, and sentences of other sources that answer with another figure.

    If a later source makes the same statement with another figure, its sentence is the answer.

    Args:
        ranking: the ranking for the clause.
        first: the best sentence.
        answering: every sentence that answers the clause, best first.
        published: ISO dates of the sources by excerpt id; empty strings for unknown dates.
    """
    if ranking.kind != "number":
        return first, []
    differing = [
        sentence for sentence in answering if sentence.title != first.title and _differ(ranking.clause, first, sentence)
    ]
    later = [
        sentence
        for sentence in differing
        if _restates(first, sentence) and published[sentence.id] > published[first.id] > ""
    ]
    best = max(later, key=lambda sentence: published[sentence.id], default=first)
    rest = {
        sentence.title: sentence
        for sentence in reversed([first, *differing])
        if _differ(ranking.clause, best, sentence)
    }
    return best, [sentence for sentence in rest.values() if sentence.title != best.title][::-1][:MAX_OTHERS]


def differing(ranking: Ranking, first: Sentence, answering: Sequence[Sentence]) -> list[Sentence]:
    """Return for a clause that asks for a number the sentences of other sources with another figure, one for each source."""
    if ranking.kind != "number":
        return []
    others = {sentence.title: sentence for sentence in reversed(answering) if sentence.title != first.title}
    return [sentence for sentence in reversed(others.values()) if _differ(ranking.clause, first, sentence)][:MAX_OTHERS]


def _restates(first: Sentence, other: Sentence) -> bool:
    words = [{term for term in sentence.held if not term[0].isdigit()} for sentence in (first, other)]
    return on_one_thing(words[0], words[1])


def _differ(clause: str, first: Sentence, other: Sentence) -> bool:
    """Tell whether two sentences give conflicting figures of the asked kind, for no different years."""
    years = [set(_YEAR.findall(sentence.said)) for sentence in (first, other)]
    if all(years) and not years[0] & years[1]:
        return False
    left, right = (asked_measures(clause, sentence.said) for sentence in (first, other))
    same_kind = {measure.kind for measure in left} & {measure.kind for measure in right}
    if "percent" in same_kind and not _restates(first, other):  # two percentages may be shares of different things
        return False
    return bool(same_kind) and not any(a.agrees(b) for a in left for b in right if a.kind == b.kind)
