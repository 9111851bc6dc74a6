"""Commands that revise a finished report and show its versions."""

from collections.abc import Awaitable
from typing import Annotated

import typer

from leadline.cli.command_run import errors_as_json, show_report
from leadline.cli.examples import examples
from leadline.cli.options import Events, Json, OtherOut
from leadline.progress.protocol import Progress
from leadline.runs.revise import arevise
from schemas.reporter import Report
from services.run.errors import BadInput

commands = typer.Typer()


@commands.command(epilog=examples("revise"))
def revise(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] REQUEST", help="What to change in a finished report, in words; by default in the latest."
        ),
    ],
    locale: Annotated[
        str, typer.Option(metavar="L", help="Language of the new version; by default as the request says.")
    ] = "",
    research: Annotated[
        bool, typer.Option("--research/--no-research", help="Search what is asked for and the evidence does not hold.")
    ] = True,
    out: OtherOut = None,
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Change a finished report: shorter, restructured, in another language or tone, without a section.

    Sentences keep their citations and are checked again. What it asks for and the evidence does not hold is searched once, and said
    where it is not found. Every version is kept: leadline runs show RUN --version N.
    """

    def work(progress: Progress) -> Awaitable[Report]:
        return arevise(run, request, locale=locale, research=research, out=out, on_event=progress)

    with errors_as_json(as_events):
        if len(asked) > 2:
            raise BadInput('Say in one text, in quotes, what to change: leadline revise "Shorter, for a newspaper."')
        run, request = (asked[0] if len(asked) > 1 else None), asked[-1]
        show_report(work, as_json, as_events)
