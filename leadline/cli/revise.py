"""Commands that revise a finished report and show its versions."""

from collections.abc import Awaitable
from typing import Annotated

import typer

from leadline.cli.command_run import errors_as_json, show_report
from leadline.cli.examples import examples
from leadline.cli.options import Events, Json, OtherOut
from leadline.progress.protocol import Progress
from leadline.runs.revise import arevise
from leadline.runs.run_ids import run_and_text
from schemas.reporter import Report
from services.run.errors import BadInput

commands = typer.Typer()


@commands.command(epilog=examples("revise"))
def revise(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN] REQUEST", help="What to change in a finished report, in words; by default in the latest."
        ),
    ] = None,
    without: Annotated[str, typer.Option(metavar="HEADING", help="Leave out a section; needs no model.")] = "",
    shorter: Annotated[
        bool, typer.Option("--shorter", help="Shorten it; without a model, to the beginning of each section.")
    ] = False,
    locale: Annotated[
        str, typer.Option(metavar="L", help="Language of the new version; by default that of the request.")
    ] = "",
    research: Annotated[
        bool,
        typer.Option("--research/--no-research", help="Search for what the change asks for and the evidence lacks."),
    ] = True,
    out: OtherOut = None,
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Change a finished report: make it shorter, add a table or a section, translate it, or say in words what to change.

    What the request does not concern stays as it is; what is new is checked. What it asks for and the evidence does not hold is
    searched once, and said where it is not found. Every version is kept: leadline runs show RUN --version N.
    """

    def work(progress: Progress) -> Awaitable[Report]:
        return arevise(
            run, request, without=without, shorter=shorter, locale=locale, research=research, out=out, on_event=progress
        )

    with errors_as_json(as_events):
        words = arguments or [""]
        if without or shorter:
            if len(words) > 1:
                raise BadInput("Make one change at a time: leave out the request with --without or --shorter.")
            run, request = words[0] or None, ""
        else:
            run, request = run_and_text(words)
        show_report(work, as_json, as_events)
