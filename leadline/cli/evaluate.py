"""The command `eval`: runs a set of questions under several settings and measures them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.batch.questions import Outcome
from leadline.cli.choices import choices_of, takes_choices
from leadline.cli.command_run import until_interrupted
from leadline.cli.examples import examples
from leadline.cli.exit_codes import EXIT_FAILED
from leadline.cli.options import Docs
from leadline.evaluation.evaluate import evaluate
from leadline.evaluation.evaluation_runs import OnOutcome, SettingsRunner
from leadline.evaluation.judge import judge_context
from leadline.evaluation.judgements import judged
from leadline.evaluation.page import write_results
from leadline.evaluation.question import locale_of
from leadline.evaluation.results import Evaluation
from leadline.evaluation.sets import read_set
from leadline.evaluation.settings import settings_of
from leadline.evaluation.table import table
from leadline.progress.terminal import echo
from leadline.runs.output import check_writable
from schemas.clean_text import clean_line
from schemas.depth import DEPTHS
from services.run.errors import BadInput
from services.run.ui_text import say
from services.text.tokens import message_language

commands = typer.Typer()

RUNS = ("locale", "length", "max_plan_iterations", "max_step_num", "max_tokens", "max_cost", "max_seconds")
"""Choices for the runs of all settings."""


@commands.command("eval", epilog=examples("eval"))
@takes_choices(*RUNS, show_default=False)
def evaluate_set(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The set: a JSON object a line, a JSON list, CSV; docs/evaluation.md."),
    ],
    given: dict[str, Any],
    depth: Annotated[
        list[str] | None, typer.Option("--depth", metavar="|".join(DEPTHS), help="Depth; repeatable: side by side.")
    ] = None,
    model: Annotated[list[str] | None, typer.Option("--model", metavar="NAME", help="Model; repeatable.")] = None,
    prompts: Annotated[
        list[Path] | None,
        typer.Option("--prompts", metavar="DIR", help="Folder of prompts, or built-in; repeatable."),
    ] = None,
    search: Annotated[
        list[str] | None, typer.Option("--search", metavar="NAME", help="What is searched; repeatable.")
    ] = None,
    docs: Docs = None,
    references: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Reports to compare with, JSON lines: id and article.")
    ] = None,
    questions: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the first N questions.")] = None,
    jobs: Annotated[
        int, typer.Option(min=1, max=100, metavar="N", help="Runs at a time; with several, seconds tell little.")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Folder of results and reports; by default eval/NAME.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="A model that judges the reports, named apart from the runs' own."),
    ] = None,
    judge_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Most tokens of the judge, earlier starts included.")
    ] = None,
    judge_cost: Annotated[
        float | None, typer.Option(metavar="DOLLARS", help="Most that the judge may cost, earlier starts included.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print eval.json instead of the table.")] = False,
) -> None:
    """Evaluate models, depths, prompts and searches on a set of questions, side by side; started again, it goes on.

    The table goes to stdout; eval.json, eval.html and the reports go into the folder that --out names.
    """
    asked = read_set(file, references)[:questions]
    settings = settings_of(prompts or [], model or [], depth or [], search or [])
    place = out or Path("eval") / file.name.split(".")[0]
    if not place.name:
        raise BadInput(f"The set {file} has no name to name a folder after. Name one with --out.")
    judging = None if judge is None else judge_context(judge, judge_tokens, judge_cost)
    check_writable(place)
    choices = choices_of(given) | ({"documents": [str(folder) for folder in docs]} if docs else {})
    runner = SettingsRunner(settings, choices, place, reports=place / "reports")
    languages = (question.language or message_language(question.question) for question in asked)
    locale = locale_of(languages, choices.get("locale"))
    progress = outcome_lines(len(asked) * len(settings), locale)

    async def main() -> Evaluation:
        evaluated = await evaluate(asked, runner, name=file.name, locale=locale, jobs=jobs, on_outcome=progress)
        if judging is not None:
            await write_results(evaluated, place)  # the result stands, whatever the judge returns
            evaluated, problem = await judged(evaluated, asked, judging)
            if problem:
                echo(say("eval_no_judgement", locale, reason=problem), err=True)
        await write_results(evaluated, place)
        return evaluated.evaluation

    evaluation = until_interrupted(main(), "the same command; what is done is not done again")
    echo(evaluation.model_dump_json(indent=2) if as_json else table(evaluation))
    echo(f"\n{say('eval_written', locale, place=place)}", err=True)
    if all(failed == len(asked) for failed in evaluation.failed.values()):
        raise typer.Exit(EXIT_FAILED)


def outcome_lines(total: int, locale: str) -> OnOutcome:
    """Return a function that prints a line for each finished run."""
    done = 0

    def progress(question: str, setting: str, outcome: Outcome) -> None:
        nonlocal done
        done += 1
        summary = outcome.error or say("eval_claims", locale, claims=outcome.claims, verified=outcome.verified)
        line = say("eval_progress", locale, done=done, total=total, question=question, setting=setting, summary=summary)
        echo(clean_line(line), err=True)

    return progress
