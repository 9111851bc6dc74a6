"""The command `eval`: researches a set of questions, also under several settings, and measures the reports."""

from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.cli import EXIT_FAILED
from leadline.cli.command_list import examples
from leadline.cli.command_run import until_interrupted
from leadline.cli.options import Docs, choices_of, takes_choices
from leadline.evaluation.evaluate import evaluate
from leadline.evaluation.question_runs import Outcome
from leadline.evaluation.question_set import locale_of, read_set
from leadline.evaluation.results import FILE, Evaluation
from leadline.evaluation.settings import settings_of
from leadline.evaluation.table import table
from leadline.progress.terminal import echo
from leadline.runs.output import check_writable
from schemas.clean_text import clean_line
from schemas.depth import DEPTHS
from services.reports.bundle import write_files
from services.run.errors import BadInput
from services.run.ui_text import say, told
from services.text.tokens import message_language

commands = typer.Typer()

RUNS = ("locale", "length", "max_plan_iterations", "max_step_num", "max_tokens", "max_cost", "max_seconds")
"""Choices for the runs of all settings."""


@commands.command("eval", epilog=examples("eval"))
@takes_choices(*RUNS, show_default=False)
def evaluate_set(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="The question set: one question or JSON object per line; see docs/evaluation.md."
        ),
    ],
    options: dict[str, Any],
    depth: Annotated[
        list[str] | None,
        typer.Option("--depth", metavar="|".join(DEPTHS), help="Depth; repeatable, to compare several."),
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", metavar="NAME", help="Model; repeatable.")] = None,
    prompts: Annotated[
        list[Path] | None,
        typer.Option("--prompts", metavar="DIR", help="Folder of prompts, or built-in; repeatable."),
    ] = None,
    search: Annotated[
        list[str] | None, typer.Option("--search", metavar="NAME", help="Where to search; repeatable.")
    ] = None,
    docs: Docs = None,
    questions: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N questions.")] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="Parallel runs; with several, times cannot be compared.")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of results and reports; by default eval/NAME.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON instead of the table.")] = False,
) -> None:
    """Research a list of questions and measure the reports; compare several settings. Started again, it continues.

    The table goes to stdout; eval.json and the reports go into the folder that --out names. Exit code 1: a question has no
    report; the same command tries it again.
    """
    question_set = read_set(file)[:questions]
    settings = settings_of(prompts or [], model or [], depth or [], search or [])
    place = out or Path("eval") / file.name.split(".")[0]
    if not place.name:
        raise BadInput(**told("set_no_name", file=file))
    check_writable(place)
    choices = choices_of(options) | ({"documents": [str(folder) for folder in docs]} if docs else {})
    languages = (question.language or message_language(question.question) for question in question_set)
    locale = locale_of(languages, choices.get("locale"))
    numbers = count(1)

    def progress(outcome: Outcome) -> None:
        counts = say("eval_claims", locale, claims=outcome.claims, verified=outcome.verified)
        ended = {"question": outcome.id, "setting": outcome.setting, "summary": outcome.error or counts}
        total = len(question_set) * len(settings)
        echo(clean_line(say("eval_progress", locale, done=next(numbers), total=total, **ended)), err=True)

    async def main() -> Evaluation:
        evaluation = await evaluate(
            question_set, settings, choices, place, name=file.name, locale=locale, jobs=jobs, on_outcome=progress
        )
        await write_files(place, {FILE: f"{evaluation.model_dump_json(indent=1)}\n".encode()}, "eval")
        return evaluation

    evaluation = until_interrupted(main(), say("interrupted_eval"))
    echo(evaluation.model_dump_json(indent=2) if as_json else table(evaluation))
    echo(f"\n{say('eval_written', locale, place=place)}", err=True)
    if any(evaluation.failed[setting.name] for setting in settings):
        raise typer.Exit(EXIT_FAILED)
