"""The results of an evaluation, as `eval.json` holds them (docs/evaluation.md), and those of two folders side by side."""

from collections.abc import Collection, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from leadline.evaluation.measures import Figures, shown_measures
from leadline.evaluation.statistics import Difference, Estimate, difference, estimate
from schemas.regular_file import read_regular
from services.run.errors import BadInput, reason_of

FILE = "eval.json"
MAX_BYTES = 200_000_000
"""Maximum bytes of a file of results."""


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
            name: {key: found for key in measures if (found := estimate(_values(figures, key))) is not None}
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


def read_results_of(folder: Path, asked: Collection[str]) -> Evaluation:
    """Read the results in the folder of an evaluation. Blocking.

    Args:
        folder: the folder.
        asked: questions that they will be compared over.

    Raises:
        BadInput: there are none, or they have another form, or none of these questions.
    """
    try:
        results = Evaluation.model_validate_json(read_regular(folder / FILE, MAX_BYTES))
    except OSError as error:
        raise BadInput(
            f"The results {folder / FILE} cannot be read ({error.strerror}). Name a folder of `leadline eval`."
        ) from None
    except ValidationError as error:
        raise BadInput(f"The results {folder / FILE} have another form: {reason_of(error.errors()[0])}.") from None
    if not any(question.question in asked for question in results.questions):
        raise BadInput(f"The results {folder / FILE} have no question of this set. Name another folder with --against.")
    return results


def side_by_side(first: Evaluation, second: Evaluation, prefix: str) -> Evaluation:
    """Return both evaluations as one, over the questions that both asked.

    Args:
        first: results that come first; differences are the second less them.
        second: results that come second, whose set and language hold.
        prefix: begins the names of the first's settings.
    """
    names = {name: f"{prefix}: {name}" for name in first.names}
    before = {question.question: question.results for question in first.questions}
    questions = [
        question.model_copy(
            update={"results": {names[name]: before[question.question][name] for name in names} | question.results}
        )
        for question in second.questions
        if question.question in before
    ]
    settings = {names[name]: setting for name, setting in first.settings.items()} | second.settings
    return second.model_copy(update={"settings": settings, "questions": questions}).summarised()
