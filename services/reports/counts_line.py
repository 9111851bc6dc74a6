"""The line below a report's title that says how many statements it makes, and how many of them have each status."""

import re
from collections.abc import Iterable

from schemas.evidence import Claim, status_counts
from services.reports.labels import CHINESE, ENGLISH, Labels
from services.reports.statuses import Counts

_NUMBER = r"\d{1,6}"


def counts_of(claims: Iterable[Claim], labels: Labels) -> Counts:
    """Count claims by status, in words too."""
    statuses = status_counts(claims)
    return Counts(statuses, labels.counted(statuses) if statuses else "")


def counts_line(claims: Iterable[Claim], labels: Labels) -> str:
    """Return the line in Markdown; empty where there are no claims."""
    counts = counts_of(claims, labels)
    return f"*{counts.text}*" if counts.text else ""


def is_counts(text: str) -> bool:
    """Tell whether a text is nothing but that line, in either language, with or without its emphasis."""
    return _COUNTS.fullmatch(text.strip(" *_")) is not None


def _pattern(labels: Labels) -> str:
    count = re.escape(labels.statements).replace(re.escape("{count}"), _NUMBER)
    states = "|".join(re.escape(state).replace(re.escape("{count}"), _NUMBER) for state in labels.states.values())
    head = f"(?:{re.escape(labels.statement)}|{count}){re.escape(labels.colon)}"
    return f"{head}(?:{states})(?:{re.escape(labels.comma)}(?:{states})){{0,5}}"


_COUNTS = re.compile("|".join(map(_pattern, (ENGLISH, CHINESE))))
