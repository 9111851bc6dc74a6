"""Commands for stored runs: list, show, replay, export, forget what was remembered; and change a finished report."""

import asyncio
import json
import shutil
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Column, Table
from rich.text import Text
from typer.core import TyperGroup

from leadline.cli import EXIT_FAILED
from leadline.cli.command_list import examples
from leadline.cli.command_run import echo_report, errors_as_json, show_report
from leadline.cli.options import Events, FinishedRun, Formats, Json, LatestRun, OtherOut, Version
from leadline.cli.run_summary import of_folder, summary, terminal_locale
from leadline.progress.plan_review import Display
from leadline.progress.terminal import as_typed, console_of, echo
from leadline.runs.actions import areplay, areport, arun, aruns, atimeline
from leadline.runs.own_memory import aforget, aforget_all, amemory
from leadline.runs.revise import arevise, aversion
from leadline.runs.run_ids import run_and_text, shown_folder
from leadline.runs.store import RunRecord
from schemas.clean_text import beginning, clean_line
from schemas.memory import MemoryEntry, MemoryView
from schemas.reporter import Report
from services.reports.formats import chosen_formats, makeable_formats
from services.reports.labels import labels_for
from services.run.errors import BadInput, RunElsewhere
from services.run.ui_text import say, told

commands = typer.Typer()


class _Runs(TyperGroup):
    """The commands of `runs`; who names another is told how runs are listed."""

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> tuple[str | None, Any, list[str]]:  # type: ignore[override]  # typer's own class of the context is private
        """Return the named command.

        Raises:
            BadInput: there is none of that name.
        """
        if args[0] not in self.commands and not ctx.resilient_parsing:
            raise BadInput(**told("runs_command_unknown", command=args[0], commands=", ".join(self.commands)))
        return super().resolve_command(ctx, args)


_runs = typer.Typer(cls=_Runs, invoke_without_command=True)
commands.add_typer(_runs, name="runs", epilog=examples("runs"))

SHOWN = {"id", "question", "status", "nothing_found", "created", "folder", "error"}
"""Fields of a run in `leadline runs --json`."""
NOTHING_FOUND = "no evidence"
"""In place of the status of a finished run that found nothing."""
STATUS = len("interrupted")
"""Columns of a run's status."""
LONGEST_REQUEST = 100
"""Characters that are shown of a change's request."""
NARROWEST = 70
"""Columns of a line that leave the question some words; a narrower terminal wraps it."""


@_runs.callback()
def runs(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print the runs as a JSON list.")] = False,
) -> None:
    """List all runs; show, replay or export one; manage the memory."""
    if context.invoked_subcommand is not None:
        return
    records = asyncio.run(aruns())
    if as_json:
        shown = [record.model_dump(mode="json", include=SHOWN) for record in records]
        echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    if not records:
        echo(say("run_none"), err=True)
    width = max(shutil.get_terminal_size().columns, NARROWEST)
    for record in records:
        echo(_line(record, width))


def _line(record: RunRecord, width: int) -> str:
    status = NOTHING_FOUND if record.status == "done" and record.nothing_found else record.status
    line = Text(f"{record.id}  {status:<{STATUS}}  {' '.join(record.question.split())}")
    line.truncate(width, overflow="ellipsis")
    return line.plain


@_runs.command(epilog=examples("runs show"))
def show(
    run: LatestRun = None,
    calls: Annotated[bool, typer.Option("--calls", help="Show every call: start and duration.")] = False,
    version: Version = None,
) -> None:
    """Show a run: its question, answer, sources, cost and files; or its calls, or a version of its report."""
    if version is not None:
        echo_report(asyncio.run(aversion(run, version)).report)
        return
    if not calls:
        try:
            record, values = asyncio.run(arun(run))
        except RunElsewhere:
            _show_lines(*of_folder(Path(str(run))))
            return
        _show_lines(record, values)
        _show_more(record, values)
        return
    record, timeline = asyncio.run(atimeline(run))
    title = " ".join(record.question.split())
    folder = f"{shown_folder(record.folder)}\n" if record.folder else ""
    echo(f"{record.id}  {record.status}  {record.context.depth}  {title}\n{folder}")
    echo("\n".join(timeline.lines()))


def _show_lines(record: RunRecord, values: dict[str, Any]) -> None:
    """Print the five lines."""
    locale = terminal_locale(values)
    lines = summary(record, values)
    if sys.stdout.isatty():
        table = Table.grid("", Column(overflow="fold"), padding=(0, 2))
        for label, text in lines:
            table.add_row(Text(label, style="bold"), Text(clean_line(as_typed(text))))
        console_of().print(table)
    else:
        echo("\n".join(f"{label}{labels_for(locale).colon}{as_typed(text)}" for label, text in lines))


def _show_more(record: RunRecord, values: dict[str, Any]) -> None:
    """Print the versions of the report, and how to see more."""
    locale = terminal_locale(values)
    changes = record.changes_of(values.get("report"))
    if len(changes) < len(record.revisions):
        unmade = {"status": record.status, "request": beginning(record.revisions[-1].request, LONGEST_REQUEST)}
        echo(say("show_unmade", locale, **unmade, command=f"leadline resume {record.id}"), err=True)
    if made := [change for change in changes if not change.refused]:
        requests = [f"  {place}  {beginning(change.request, LONGEST_REQUEST)}" for place, change in enumerate(made, 2)]
        echo("\n".join(["", say("show_versions", locale), "  1", *requests]))
        echo(say("show_version", locale, command=f"leadline runs show {record.id} --version 1"), err=True)
    echo(say("show_calls", locale, command=f"leadline runs show {record.id} --calls"), err=True)


@_runs.command(epilog=examples("runs replay"))
def replay(run: FinishedRun = None, out: OtherOut = None, as_json: Json = False) -> None:
    """Run a finished run again from its journal: no model is called, nothing is searched, and the report is the same."""
    show_report(lambda _: areplay(run, out=out), as_json)


@_runs.command(epilog=examples("runs export"))
def export(
    run: FinishedRun = None,
    formats: Formats = "html",
    version: Version = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write to this folder instead of the report's own.")
    ] = None,
) -> None:
    """Make files of a finished run's report: a page, slides, PowerPoint, Word, PDF, CSL-JSON. Nothing is asked or searched."""
    makeable, missing = makeable_formats(chosen_formats(formats))
    if makeable:
        made = asyncio.run(areport(run, makeable, out=out, version=version))
        for name in made.files:
            echo(Path(shown_folder(str(made.folder))) / name)
    for error in missing:
        echo(f"leadline: {error}", err=True)
    if missing:
        raise typer.Exit(EXIT_FAILED)


@_runs.command(epilog=examples("runs forget"))
def forget(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID]…", help="Entries to forget: their ids, or the beginnings of ids.", show_default=False
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Forget everything.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: do not ask.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the entries as a JSON list.")] = False,
) -> None:
    """List what is remembered of the reports of runs with --memory, or forget it. The runs and their reports stay."""
    if everything and ids:
        raise BadInput(say("memory_both"))
    forgotten = _forget_all(yes) if everything else asyncio.run(aforget(ids)) if ids else None
    entries = asyncio.run(amemory()) if forgotten is None else forgotten
    if as_json:
        shown = [MemoryView.of(entry).model_dump(mode="json") for entry in entries]
        echo(json.dumps(shown, indent=2, ensure_ascii=False))
    elif not entries:
        echo(say("memory_empty"), err=True)
    elif forgotten is None:
        for entry in entries:
            _show(entry)
    else:
        for entry in forgotten:
            echo(say("memory_forgotten", id=entry.id, claim=" ".join(entry.claim.split())), err=True)


def _show(entry: MemoryEntry) -> None:
    sources = "; ".join(f"{source.title or source.url} ({source.url})" for source in entry.sources.values())
    echo(f"{entry.id}  {entry.known_from}  {' '.join(entry.claim.split())}\n{'':26}{sources}")


def _forget_all(yes: bool) -> list[MemoryEntry]:
    entries = asyncio.run(amemory())
    if not yes and entries:
        if not sys.stdin.isatty():
            raise BadInput(say("memory_confirm", count=len(entries)))
        typer.confirm(say("memory_sure", count=len(entries)), abort=True, err=True)
    asyncio.run(aforget_all())
    return entries


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

    def work(display: Display) -> Awaitable[Report]:
        return arevise(
            run, request, without=without, shorter=shorter, locale=locale, research=research, out=out, on_event=display
        )

    with errors_as_json(as_events):
        words = arguments or [""]
        if without or shorter:
            if len(words) > 1:
                raise BadInput(**told("revise_one"))
            run, request = words[0] if arguments else None, ""
        else:
            run, request = run_and_text(words)
        show_report(work, as_json, as_events)
