"""Commands that research: a question, a further one, an interrupted run.

`leadline` loads the graph when a command runs (PEP 562), so that its help need not wait for that.
"""

import asyncio
import os
import shlex
import sys
from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import leadline
from leadline.cli.command_list import examples
from leadline.cli.command_run import errors_as_json, last_word, show_report
from leadline.cli.options import FLAGS, Events, Json, OtherOut, Out, UnfinishedRun, choices_of, takes_choices
from leadline.progress.plan_review import Display, review_in_terminal
from leadline.progress.terminal import echo
from leadline.runs.run_ids import full_id, new_run_id, run_and_text
from schemas.reporter import Report
from services.run.errors import BadInput
from services.run.ui_text import say, told

if TYPE_CHECKING:
    from leadline.runs.actions import Steered

commands = typer.Typer()


@commands.command(epilog=examples("research"))
@takes_choices(*FLAGS)
def research(
    options: dict[str, Any],
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="What you want to know; - reads it from stdin.", hidden=True),
    ] = None,
    out: Out = Path("out"),
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Research a question: plan, search, quote, check, report.

    The report goes to stdout and below --out, progress to stderr.
    """
    text = _from_stdin() if question == ["-"] else " ".join(question or ())
    run_id = new_run_id()

    def work(display: Display) -> Awaitable[Report]:
        review_plan = review_in_terminal(display)
        return leadline.aresearch(text, out=out, on_event=display, on_review=review_plan, run_id=run_id, **choices)

    with errors_as_json(as_events):
        _refuse_paths(question or ())
        choices = choices_of(options)
        show_report(work, as_json, as_events, run_id)


def _refuse_paths(arguments: Sequence[str]) -> None:
    """Refuse a path among the arguments of a question: `--docs papers/*` names the first folder alone."""
    if len(arguments) > 1 and (path := next((word for word in arguments if "/" in word and os.path.lexists(word)), "")):
        raise BadInput(say("path_in_question", path=path, options=f"--docs {shlex.quote(path)}"))


def _from_stdin() -> str:
    if sys.stdin.isatty():
        echo(say("type_question"), err=True)
    return sys.stdin.read()


@commands.command(epilog=examples("follow"))
@takes_choices("documents", "output_formats", "depth", "deep_research", "review_plan", show_default=False)
def follow(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] QUESTION",
            help="A follow-up question, or the number of a question that the report recommends; for a running run, which must be named, "
            "a message such as “only the costs”.",
        ),
    ],
    options: dict[str, Any],
    skip: Annotated[list[int] | None, typer.Option(metavar="N", help="Skip a step of the running run.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Let the running run write its report now.")] = False,
    out: Out = Path("out"),
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Ask a follow-up to the latest report, or send a message to a running run.

    A follow-up starts from what is known, with the settings of its run. A running run gets the message at its next step: it plans
    again, skips steps, or writes the report.
    """
    run_id = new_run_id()

    def work(display: Display) -> Awaitable[Report]:
        review_plan = review_in_terminal(display)
        return leadline.aresearch(
            question, out=out, on_event=display, on_review=review_plan, run_id=run_id, after=run, **choices
        )

    with errors_as_json(as_events):
        steers = bool(skip) or write
        run, question = (arguments[0], " ".join(arguments[1:])) if steers else run_and_text(arguments)
        run = "latest" if run is None else run
        choices = choices_of(options)
        if run != "latest" and not _is_finished(run):
            if options:
                raise BadInput(**told("steer_settings", run=run))
            _print_steered(leadline.steer(question, run, skip=skip or (), write=write), as_events)
        elif steers:
            raise BadInput(**told("steer_finished", run=run))
        else:
            show_report(work, as_json, as_events, run_id=run_id)


def _is_finished(run: str) -> bool:
    records = {record.id: record for record in asyncio.run(leadline.aruns())}
    return records[full_id(run, records)].has_answer


def _print_steered(steered: "Steered", as_events: bool) -> None:
    heard = say(f"steer_heard_{steered.message.action}", steps=", ".join(steered.message.steps))
    if steered.status != "running":
        heard += say("steer_not_running", status=steered.status, run=steered.run_id)
    last_word(f"{steered.run_id}: {heard}", 0, as_events, run_id=steered.run_id)


@commands.command(epilog=examples("resume"))
def resume(run: UnfinishedRun = None, out: OtherOut = None, as_json: Json = False, as_events: Events = False) -> None:
    """Continue an interrupted run where it stopped; no call is made twice."""

    def work(display: Display) -> Awaitable[Report]:
        return leadline.aresume(run, out=out, on_event=display, on_review=review_in_terminal(display))

    with errors_as_json(as_events):
        show_report(work, as_json, as_events)
