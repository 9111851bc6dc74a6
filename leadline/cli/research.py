"""Commands that research: a question, an interrupted run, a replay, many questions."""

import asyncio
import sys
from collections.abc import Awaitable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.api import aresearch
from leadline.batch.questions import Outcome, check_appendable, read_batch, run_batch
from leadline.batch.runners import LocalRunner, ServerRunner
from leadline.cli.choices import FLAGS, choices_of, takes_choices
from leadline.cli.command_run import errors_as_json, show_report, until_interrupted
from leadline.cli.examples import examples
from leadline.cli.exit_codes import EXIT_FAILED
from leadline.cli.options import AllDepth, Docs, Events, FinishedRun, Json, OtherOut, Out, UnfinishedRun
from leadline.progress.lines import batch_progress
from leadline.progress.plan_review import review_in_terminal
from leadline.progress.protocol import Progress
from leadline.progress.terminal import echo
from leadline.runs.actions import areplay, aresume
from leadline.runs.output import check_writable
from leadline.runs.run_ids import new_run_id
from leadline.runs.steer import asteer
from schemas.reporter import Report
from services.run.errors import BadInput

commands = typer.Typer()


@commands.command(epilog=examples("research"))
@takes_choices(*FLAGS)
def research(
    question: Annotated[
        str,
        typer.Argument(help="What you want to know, in English, Chinese or another language; - reads it from stdin."),
    ],
    given: dict[str, Any],
    out: Out = Path("out"),
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Research a question: plan, search, quote, check, report.

    The report goes to stdout and, with its evidence, below the folder that --out names. Progress goes to stderr.
    """
    text = _from_stdin() if question == "-" else question
    run_id = new_run_id()

    def work(progress: Progress) -> Awaitable[Report]:
        review_plan = review_in_terminal(progress)
        return aresearch(text, out=out, on_event=progress, on_review=review_plan, run_id=run_id, **choices)

    with errors_as_json(as_events):
        choices = choices_of(given)
        show_report(work, as_json, as_events, text, run_id)


def _from_stdin() -> str:
    if sys.stdin.isatty():
        echo("Type the question; Ctrl-D ends it.", err=True)
    return sys.stdin.read()


@commands.command(epilog=examples("follow"))
@takes_choices(
    "documents", "output_formats", "citation_style", "depth", "deep_research", "review_plan", show_default=False
)
def follow(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] QUESTION", help="What to ask next, or the number of a question that the report recommends."
        ),
    ],
    given: dict[str, Any],
    out: Out = Path("out"),
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Ask further, with what is known so far: by default after the latest run. What that run chose holds."""
    run_id = new_run_id()

    def work(progress: Progress) -> Awaitable[Report]:
        review_plan = review_in_terminal(progress)
        return aresearch(
            question, out=out, on_event=progress, on_review=review_plan, run_id=run_id, after=run, **choices
        )

    with errors_as_json(as_events):
        if len(asked) > 2:
            raise BadInput('Ask one question, in quotes: leadline follow "And where was he born?"')
        run, question = (asked[0] if len(asked) > 1 else "latest"), asked[-1]
        choices = choices_of(given)
        show_report(work, as_json, as_events, run_id=run_id)


@commands.command(epilog=examples("resume"))
def resume(run: UnfinishedRun = None, out: OtherOut = None, as_json: Json = False, as_events: Events = False) -> None:
    """Go on with an interrupted run where it stopped; nothing that was answered is asked again."""

    def work(progress: Progress) -> Awaitable[Report]:
        return aresume(run, out=out, on_event=progress, on_review=review_in_terminal(progress))

    with errors_as_json(as_events):
        show_report(work, as_json, as_events)


@commands.command(epilog=examples("steer"))
def steer(
    said: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] MESSAGE",
            help="What to do: “only the costs”, “also: who paid for it?”, “skip step 2”, “stop and write”.",
        ),
    ],
) -> None:
    """Say something to a run while it goes on; by default the one that began last. The planner hears it at the next boundary."""
    if len(said) > 2:
        raise BadInput('Say one thing, in quotes: leadline steer "only the costs"')
    steered = asyncio.run(asteer(said[-1], said[0] if len(said) > 1 else None))
    steps = ", ".join(steered.message.steps)
    echo(f"{steered.run_id}: {_HEARD[steered.message.action].format(steps=steps)}", err=True)
    if steered.status != "running":
        echo(
            f"The run is {steered.status}. It follows this when it goes on: leadline resume {steered.run_id}", err=True
        )


_HEARD = {
    "message": "the planner hears it at the next boundary.",
    "ask": "the question is added at the next boundary.",
    "skip": "step {steps} is left out.",
    "write": "the research ends at the next boundary, and the report is written.",
}
"""Effect of a message, by its action."""


@commands.command(epilog=examples("replay"))
def replay(run: FinishedRun = None, out: OtherOut = None, as_json: Json = False) -> None:
    """Run a finished run again from its journal: no model is called, nothing is searched, and the report is the same."""
    show_report(lambda _: areplay(run, out=out), as_json)


@commands.command(epilog=examples("batch"))
def batch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A question a line, or a JSON object a line.")],
    docs: Docs = None,
    depth: AllDepth = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder below which reports are written.")] = Path(
        "out"
    ),
    jobs: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Questions at a time.")] = 4,
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="Research on this server (langgraph dev, or a deployed one).")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Results, a JSON line each; by default FILE.results.jsonl.")
    ] = None,
) -> None:
    """Research many questions; started again, it goes on where it stopped."""
    questions = read_batch(file)
    results_file = results or file.with_name(f"{file.name}.results.jsonl")
    check_appendable(results_file)
    check_writable(out)
    shared: dict[str, Any] = {"depth": depth} if depth else {}
    if docs:
        shared["documents"] = [str(folder) for folder in docs]

    async def main() -> list[Outcome]:
        where = nullcontext(LocalRunner(out, shared)) if server is None else ServerRunner(server, out, shared)
        async with where as runner:
            with batch_progress(len(questions)) as progress:
                return await run_batch(questions, runner, results_file, jobs, progress)

    outcomes = until_interrupted(main(), f"leadline batch {file}")
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    for outcome in failed:
        echo(f"FAILED {outcome.id}: {outcome.error}", err=True)
    echo(f"{len(outcomes) - len(failed)} of {len(outcomes)} done; results in {results_file}", err=True)
    if failed:
        raise typer.Exit(EXIT_FAILED)
