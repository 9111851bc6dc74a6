"""The results of an evaluation, as `eval.json` holds them (docs/evaluation.md)."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

from pydantic import BaseModel

from leadline.evaluation.measures import Figures, shown_measures
from leadline.evaluation.statistics import Difference, Estimate, difference, estimate

FILE = "eval.json"


class RunResult(BaseModel):
    """Result of a question under a setting."""

    run_id: str = ""
    folder: str | None = None
    """Of its report."""
    error: str = ""
    """Why there is no report."""
    figures: Figures
    missing_facts: list[str] = []
    """Facts that stand neither in the report nor in its quotes."""


class QuestionResult(BaseModel):
    """A question under all settings."""

    id: str
    question: str
    results: dict[str, RunResult]
    """By the setting's name."""


class MeasuredDifference(BaseModel):
    """How two settings differ in one measure."""

    first: str
    second: str
    measure: str
    difference: Difference
    """Second less first."""


class Evaluation(BaseModel):
    """A whole evaluation."""

    version: Literal[1] = 1
    set: str
    """File name of the questions."""
    locale: str = "en-US"
    """Language of the table."""
    settings: dict[str, dict[str, Any]]
    """Choices, models and prompts of the runs, by setting."""
    questions: list[QuestionResult]
    summary: dict[str, dict[str, Estimate]] = {}
    """By setting and measure: the mean over questions with its 95 % interval."""
    failed: dict[str, int] = {}
    """Questions without a report, by setting."""
    differences: list[MeasuredDifference] = []

    @property
    def names(self) -> list[str]:
        """The settings' names, in their order."""
        return list(self.settings)

    def figures(self, setting: str) -> list[Figures]:
        """Return the figures of a setting, a question each."""
        return [question.results[setting].figures for question in self.questions]

    def summarised(self) -> "Evaluation":
        """Return the evaluation with summaries and differences of its questions' figures."""
        by_setting = {name: self.figures(name) for name in self.names}
        every = [row for figures in by_setting.values() for row in figures]
        measures = [measure.key for measure in shown_measures(every)]
        summary = {
            name: {key: interval for key in measures if (interval := estimate(_values(figures, key))) is not None}
            for name, figures in by_setting.items()
        }
        differences = [
            MeasuredDifference(first=first, second=second, measure=key, difference=differs)
            for first, second in combinations(self.names, 2)
            for key in measures
            if (differs := difference(*_both(by_setting[first], by_setting[second], key))) is not None
        ]
        failed = {name: sum(bool(question.results[name].error) for question in self.questions) for name in self.names}
        return self.model_copy(update={"summary": summary, "differences": differences, "failed": failed})


def _values(figures: Sequence[Figures], key: str) -> list[float]:
    return [value for row in figures if (value := row.get(key)) is not None]


def _both(first: Sequence[Figures], second: Sequence[Figures], key: str) -> tuple[list[float], list[float]]:
    pairs = [
        (here, there)
        for here, there in zip((row.get(key) for row in first), (row.get(key) for row in second), strict=True)
        if here is not None and there is not None
    ]
    return [here for here, _ in pairs], [there for _, there in pairs]
