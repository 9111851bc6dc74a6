"""Runs an evaluation: researches the questions under the settings and measures the reports."""

import asyncio
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from leadline.evaluation.measures import facts_missing, figures_of, figures_of_nothing, own_text, quotes_of
from leadline.evaluation.question_runs import OnOutcome, Outcome, chosen_by, run_settings
from leadline.evaluation.question_set import EvalQuestion
from leadline.evaluation.results import Evaluation, QuestionResult, RunResult
from leadline.evaluation.settings import Setting
from leadline.runs.store import Gatherings, Home, finished_report, gatherings_of, open_home
from schemas.reporter import Report
from services.reports.parser import parse_report
from services.run.errors import BadInput, JournalMiss
from services.run.settings import settings
from services.run.ui_text import say, told


async def evaluate(
    questions: Sequence[EvalQuestion],
    settings_of_runs: Sequence[Setting],
    choices: Mapping[str, Any],
    place: str | PathLike[str],
    *,
    name: str,
    locale: str = "en-US",
    jobs: int = 1,
    on_outcome: OnOutcome | None = None,
) -> Evaluation:
    """Run every question under every setting, and measure the reports.

    Raises:
        BadInput: a choice or a folder cannot be used, or a finished run is not in this home.
    """
    outcomes = await run_settings(questions, settings_of_runs, choices, Path(place), jobs=jobs, on_outcome=on_outcome)
    results: list[QuestionResult] = []
    async with open_home(settings().leadline_home) as home:
        for question in questions:
            of_settings: dict[str, RunResult] = {}
            for setting in settings_of_runs:
                outcome = outcomes[question.id, setting.name]
                report = await _report_of(home, outcome)
                of_settings[setting.name] = await _measured(home, question, outcome, report, locale)
            results.append(QuestionResult(id=question.id, question=question.question, results=of_settings))
    chosen = chosen_by(settings_of_runs, choices)
    evaluation = Evaluation(set=name, locale=locale, settings=chosen, questions=results)
    return await asyncio.to_thread(evaluation.summarised)


async def _report_of(home: Home, outcome: Outcome) -> Report | None:
    """Return the report of a run; None if it failed or was answered without research."""
    if outcome.status != "done":
        return None
    try:
        record = await home.record(outcome.run_id)
    except BadInput:
        raise BadInput(**told("eval_run_gone", run=outcome.run_id, home=settings().leadline_home)) from None
    try:
        return (await finished_report(home, record.id))[1]
    except BadInput:
        return None


async def _measured(
    home: Home,
    question: EvalQuestion,
    outcome: Outcome,
    report: Report | None,
    locale: str,
) -> RunResult:
    if report is None:
        return RunResult(
            run_id=outcome.run_id,
            error=outcome.error or say("eval_no_research", locale),
            figures=figures_of_nothing(question),
            missing_facts=[forms[0] for forms in question.facts],
        )
    try:
        gathered = await gatherings_of(home, outcome.run_id)
    except JournalMiss:
        gathered = Gatherings()
    figures = await asyncio.to_thread(figures_of, question, report, gathered)
    return RunResult(
        run_id=outcome.run_id,
        folder=outcome.folder,
        figures=figures,
        missing_facts=await asyncio.to_thread(_missing, question, report),
    )


def _missing(question: EvalQuestion, report: Report) -> list[str]:
    texts = [text for _, text in own_text(parse_report(report))]
    return facts_missing(question, "\n".join([*texts, *(excerpt.quote for excerpt in quotes_of(report))]))
