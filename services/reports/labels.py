"""The fixed words of a report and of its formats in one language, and the line below its title."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace

from schemas.clean_text import beginning
from schemas.evidence import Answered, Claim, Standing, Status, standing, status_counts
from services.check.verdict import Verdict
from services.reports.statuses import SIGNS, SURE
from services.run.ui_text import LABELS, report_language

BETWEEN = " · "
"""Separator between the parts of a report's head."""
_SHOWN = 120
"""Maximum characters of a quoted item in a reason."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Whether a report answers its question, and how many of its statements have each status."""

    text: str = ""
    """That in words, in the report's language; empty for reports without judgements."""
    standing: Standing = "empty"

    @property
    def shown(self) -> str:
        """The words, with a tick if the report answers and all statements are quoted or supported."""
        return f"✓ {self.text}" if self.standing == "all" else self.text


class Labels(SimpleNamespace):
    """All texts in a report and its formats that come neither from a source nor from a model: the labels of `ui_text.py`."""

    def count(self, statements: int) -> str:
        """Return a number of statements in words."""
        return str(self.statement if statements == 1 else self.statements.format(count=statements))

    def origin(self, *, by_rules: bool) -> str:
        """Return in words whether a model or rules wrote a report."""
        return str(self.selected if by_rules else self.generated)

    def head(self, answered: Answered, statuses: Mapping[Status, int], *, by_rules: bool = False) -> str:
        """Return in words whether a report answers its question, which rules do not, and separately how many statements have quotes and each status."""
        count, sure = sum(statuses.values()), sum(statuses.get(status, 0) for status in SURE)
        shown = (
            f"{self.states[status].format(count=statuses[status])} {SIGNS.get(status, '')}".strip()
            for status in self.states
            if statuses.get(status)
        )
        line = self.all_sure if sure == count else self.some_sure
        counts = line.format(sure=sure, count=count, statements=self.count(count), states=self.comma.join(shown))
        answer = self.answers.get(answered, self.closest_only if by_rules else "")
        return BETWEEN.join(filter(None, [answer, counts if count else self.no_statements]))

    def reason(self, verdict: Verdict) -> str:
        """Return in words why a sentence is unsupported; empty if it is supported."""
        what = ", ".join(beginning(part, _SHOWN) for part in verdict.what)
        instead = self.instead.format(instead=verdict.instead) if verdict.instead else ""
        return f"{self.reasons[verdict.fault].format(what=what)}{instead}"


ALL_LABELS = {language: Labels(**texts) for language, texts in LABELS.items()}
"""The labels by language."""
ENGLISH, CHINESE = ALL_LABELS["en"], ALL_LABELS["zh"]

SUMMARY_LABEL = re.compile(
    "|".join(["tl;?dr|summary|摘要|概要|要点|一句话总结|总结", *(own.summary for own in ALL_LABELS.values())]),
    re.IGNORECASE,
)
"""Labels that writers give a report's summary."""


def labels_for(locale: str) -> Labels:
    """Return the labels of a locale, English ones where its language has none."""
    return ALL_LABELS[report_language(locale)]


def language_of(locale: str) -> str:
    """Return the language tag of a document."""
    return "zh-Hant" if locale.lower() in {"zh-tw", "zh-hk"} else locale or "en"


def counts_of(claims: Iterable[Claim], answered: Answered, labels: Labels, *, by_rules: bool = False) -> Counts:
    """Count claims by status, and describe the counts in words, in which a report by rules is no answer."""
    statuses = status_counts(claims)
    text = labels.head(answered, statuses, by_rules=by_rules) if statuses or answered else ""
    count, sure = sum(statuses.values()), sum(statuses.get(status, 0) for status in SURE)
    return Counts(text, standing(count, sure, answered, statuses.get("inferred", 0)))
