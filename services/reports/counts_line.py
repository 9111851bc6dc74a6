"""The line below a report's title: whether the report answers the question, and how many statements have quotes."""

import re
from collections.abc import Iterable

from schemas.evidence import Answered, Claim, status_counts
from services.reports.label_set import BETWEEN
from services.reports.labels import CHINESE, ENGLISH, Labels
from services.reports.statuses import Counts

_NUMBER = r"\d{1,6}"


def counts_of(claims: Iterable[Claim], answered: Answered, labels: Labels) -> Counts:
    """Count claims by status, and describe the counts in words."""
    statuses = status_counts(claims)
    return Counts(statuses, answered, labels.head(answered, statuses) if statuses or answered else "")


def is_counts(text: str) -> bool:
    """Tell whether a text is only this line, in either language, with or without emphasis."""
    return _COUNTS.fullmatch(text.strip(" *_")) is not None


def _pattern(labels: Labels) -> str:
    """Return a pattern of the line in one language; earlier versions wrote only the number of statements and their states."""
    count = _filled(labels.statements, count=_NUMBER)
    states = "|".join(_filled(state, count=_NUMBER) for state in labels.states.values())
    states = f"(?:{states})(?:{re.escape(labels.comma)}(?:{states})){{0,5}}"
    statements = f"(?:{re.escape(labels.statement)}|{count})"
    lines = [
        _filled(labels.all_sure, statements=statements, states=states),
        _filled(labels.some_sure, sure=_NUMBER, count=_NUMBER, states=states),
        re.escape(labels.no_statements),
        f"{statements}{re.escape(labels.colon)}{states}",
    ]
    answers = "|".join(map(re.escape, labels.answers.values()))
    return f"(?>(?:(?:{answers}){re.escape(BETWEEN)})?)(?:{'|'.join(lines)})"


def _filled(text: str, **patterns: str) -> str:
    """Convert a template with fields to a regular expression."""
    pattern = re.escape(text)
    for name, value in patterns.items():
        pattern = pattern.replace(re.escape(f"{{{name}}}"), value)
    return pattern


_COUNTS = re.compile("|".join(map(_pattern, (ENGLISH, CHINESE))))
