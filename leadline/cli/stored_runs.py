"""Commands for stored runs: list, show, export reports, refresh sources."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from leadline.cli.command_run import echo_report
from leadline.cli.examples import examples
from leadline.cli.exit_codes import EXIT_FAILED
from leadline.cli.options import FinishedRun, Formats, LatestRun, References, Version
from leadline.progress.terminal import echo
from leadline.runs.actions import arefresh, areport, aruns, atimeline
from leadline.runs.refresh import as_markdown
from leadline.runs.revise import adifference, aversion
from schemas.reporter import Report
from services.reports.checking.bundle import write_files
from services.reports.formats import chosen_formats
from services.run.errors import BadInput
from services.run.ui_text import say

commands = typer.Typer()


@commands.command(epilog=examples("runs"))
def runs(as_json: Annotated[bool, typer.Option("--json", help="Print the runs as a JSON list.")] = False) -> None:
    """List all runs, the newest first."""
    records = asyncio.run(aruns())
    if as_json:
        shown = [record.model_dump(mode="json", include=SHOWN) for record in records]
        echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    if not records:
        echo('There is no run yet. Start one: leadline research "…"', err=True)
    for record in records:
        where = f"  {record.folder}" if record.folder else ""
        echo(f"{record.id}  {record.status:<11}  {' '.join(record.question.split())[:80]}{where}")


SHOWN = {"id", "question", "status", "created", "folder", "error"}
"""Fields of a run in `leadline runs --json`."""


@commands.command(epilog=examples("show"))
def show(
    run: LatestRun = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the timeline as a page instead.")] = None,
    version: Version = None,
    diff: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="N N", help="Show what two versions of its report differ in instead.", show_default=False),
    ] = None,
) -> None:
    """Show what a run did when: every call, how long it took, and what waited for what; or a version of its report."""
    if diff is not None:
        lines = asyncio.run(adifference(run, *diff))
        echo("\n".join(lines) if lines else "The texts of both versions are the same.")
        return
    if version is not None:
        echo_report(asyncio.run(aversion(run, version)).report)
        return
    record, timeline = asyncio.run(atimeline(run))
    title = " ".join(record.question.split())
    if html is not None:
        try:
            html.write_text(timeline.html(f"{title} ({record.id})"), "utf-8")
        except OSError as error:
            raise BadInput(f"{html} cannot be written ({error.strerror}). Name another file.") from None
        echo(f"Written to {html}", err=True)
        return
    echo(f"{record.id}  {record.status}  {record.context.depth}  {title}\n")
    echo("\n".join(timeline.lines()))
    if record.revisions:
        changes = [
            f"  {place}  {' '.join(change.request.split())[:100]}" for place, change in enumerate(record.revisions, 2)
        ]
        echo("\n".join(["", say("show_versions", timeline.locale), "  1", *changes]))
        echo(f"Show one: leadline show {record.id} --version 1", err=True)


@commands.command(epilog=examples("report"))
def report(
    run: FinishedRun = None,
    formats: Formats = "html",
    citation_style: References = None,
    version: Version = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write below this folder instead of the report's own.")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the files when they are made.")] = False,
) -> None:
    """Make files of a finished run's report: a page, slides, PowerPoint, Word, PDF, BibTeX, CSL-JSON. Nothing is asked or searched."""
    made = asyncio.run(areport(run, chosen_formats(formats), out=out, citation_style=citation_style, version=version))
    for name in made.files:
        place = Path(str(made.folder)) / name
        echo(place)
        if open_it:
            typer.launch(place.absolute().as_uri())


@commands.command(epilog=examples("refresh"))
def refresh(
    run: FinishedRun = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Read a report's documents and pages again, and show which claims hold, changed or fell. No model is asked."""
    refreshed, folder = asyncio.run(arefresh(run))
    text = as_markdown(refreshed)
    if folder is not None and Path(folder).is_dir():
        asyncio.run(write_files(Path(folder), {"refresh.md": text.encode()}, "refresh"))
        echo(f"Written to {folder}/refresh.md", err=True)
    if as_json:
        echo(refreshed.model_dump_json(indent=2))
    else:
        echo_report(Report(title=refreshed.question, markdown=text))
    if refreshed.count("fallen"):
        raise typer.Exit(EXIT_FAILED)
