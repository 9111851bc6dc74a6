"""Commands that research: a question, an interrupted run, a finished one again, many questions."""

import sys
from collections.abc import Awaitable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from leadline.api import aresearch
from leadline.batch.questions import Outcome, check_appendable, read_batch, run_batch
from leadline.batch.runners import Here, There
from leadline.cli.examples import examples
from leadline.cli.options import (
    CHOICES,
    EXIT_FAILED,
    LIMITS,
    RESEARCH,
    Docs,
    Events,
    FinishedRun,
    Formats,
    Json,
    Length,
    Locale,
    OtherOut,
    Out,
    Search,
    Style,
    UnfinishedRun,
)
from leadline.cli.running import errors_told, show_report, until_interrupted
from leadline.progress.lines import batch_progress
from leadline.progress.plan_review import review_in_terminal
from leadline.progress.protocol import Progress
from leadline.progress.terminal import echo
from leadline.runs.actions import areplay, aresume
from leadline.runs.output import check_writable
from leadline.runs.profiles import load_profile
from leadline.runs.run_ids import new_run_id
from schemas.reporter import Report
from services.reports.formats import chosen_formats
from services.run.errors import BadInput

researching = typer.Typer()

Ended = TypeVar("Ended")


@researching.command(epilog=examples("research"), rich_help_panel=RESEARCH)
def research(
    question: Annotated[
        str,
        typer.Argument(help="What you want to know, in English, Chinese or another language; - reads it from stdin."),
    ],
    docs: Docs = None,
    search: Annotated[
        Search | None,
        typer.Option(
            metavar="WHERE",
            help="auto, tavily, duckduckgo, documents or none; by default as LEADLINE_SEARCH says.",
            show_default=False,
        ),
    ] = None,
    profile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Profile (YAML): scope, replies, documents.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Answer from one quick search, without a plan.", rich_help_panel=CHOICES),
    ] = False,
    review: Annotated[
        bool,
        typer.Option("--review", help="Show the plan and wait for your word before the work.", rich_help_panel=CHOICES),
    ] = False,
    max_plans: Annotated[
        int, typer.Option(metavar="N", help="Plans a run may make, 1 to 10.", rich_help_panel=CHOICES)
    ] = 3,
    max_steps: Annotated[
        int, typer.Option(metavar="N", help="Steps a plan may have, 1 to 20.", rich_help_panel=CHOICES)
    ] = 3,
    style: Annotated[
        Style,
        typer.Option(
            metavar="STYLE", help="report (from sources) or data (computed from your data).", rich_help_panel=CHOICES
        ),
    ] = "report",
    length: Annotated[
        Length, typer.Option(metavar="HOW", help="brief, standard or full (in sections).", rich_help_panel=CHOICES)
    ] = "standard",
    words: Annotated[
        int | None, typer.Option(metavar="N", help="Words that the report is to have.", rich_help_panel=CHOICES)
    ] = None,
    max_seconds: Annotated[
        int, typer.Option(metavar="S", help="Seconds that it may take.", rich_help_panel=LIMITS)
    ] = 900,
    max_tokens: Annotated[
        int | None,
        typer.Option(metavar="N", help="Tokens that the run may use, in and out.", rich_help_panel=LIMITS),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(metavar="USD", help="Dollars that its model calls may cost.", rich_help_panel=LIMITS),
    ] = None,
    max_searches: Annotated[
        int | None, typer.Option(metavar="N", help="Searches that it may make.", rich_help_panel=LIMITS)
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option(metavar="N", help="Web pages that it may read.", rich_help_panel=LIMITS)
    ] = None,
    out: Out = Path("out"),
    formats: Formats = "md",
    locale: Locale = "auto",
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Research a question: plan, search, quote, check, report.

    The report goes to stdout and, with its evidence, below the folder that --out names. Progress goes to stderr.
    """

    def choices() -> dict[str, Any]:
        chosen: dict[str, Any] = {
            "output_formats": chosen_formats(formats),
            "locale": locale,
            "max_plan_iterations": max_plans,
            "max_step_num": max_steps,
            "deep_research": not quick,
            "review_plan": review,
            "length": length,
            "words": words,
            "output_style": style,
            "search": search,
            "max_tokens": max_tokens,
            "max_cost": max_cost,
            "max_seconds": max_seconds,
            "max_searches": max_searches,
            "max_pages": max_pages,
            "docs": list(docs or []),
        }
        if profile is not None:
            chosen["profile"], own = load_profile(profile)
            chosen["docs"] = chosen["docs"] or own
        return chosen

    asked = _from_stdin() if question == "-" else question
    run_id = new_run_id()

    def work(progress: "Progress") -> Awaitable["Report"]:

        review_plan = review_in_terminal(progress)
        return aresearch(asked, out=out, on_event=progress, on_review=review_plan, run_id=run_id, **chosen)

    with errors_told(as_events):
        chosen = choices()
        show_report(work, as_json, as_events, asked, run_id)


def _from_stdin() -> str:
    if sys.stdin.isatty():
        echo("Type the question; Ctrl-D ends it.", err=True)
    return sys.stdin.read()


@researching.command(epilog=examples("follow"), rich_help_panel=RESEARCH)
def follow(
    asked: Annotated[
        list[str],
        typer.Argument(
            metavar="[RUN] QUESTION", help="What to ask next, or the number of a question that the report recommends."
        ),
    ],
    docs: Docs = None,
    out: Out = Path("out"),
    formats: Annotated[
        str | None, typer.Option("--format", metavar="F,F,…", help="Files to make; by default as before.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Answer from one quick search, without a plan.")] = False,
    review: Annotated[
        bool, typer.Option("--review", help="Show the plan and wait for your word before the work.")
    ] = False,
    as_json: Json = False,
    as_events: Events = False,
) -> None:
    """Ask further, with what is known so far: by default after the latest run. What that run chose holds."""
    run_id = new_run_id()

    def work(progress: "Progress") -> Awaitable["Report"]:

        review_plan = review_in_terminal(progress)
        return aresearch(
            question,
            docs=docs or (),
            out=out,
            on_event=progress,
            on_review=review_plan,
            run_id=run_id,
            after=run,
            **choices,
        )

    with errors_told(as_events):
        if len(asked) > 2:
            raise BadInput('Ask one question, in quotes: leadline follow "And where was he born?"')
        run, question = (asked[0] if len(asked) > 1 else "latest"), asked[-1]
        choices: dict[str, Any] = {"output_formats": chosen_formats(formats)} if formats else {}
        choices |= {"deep_research": False} if quick else {}
        choices |= {"review_plan": True} if review else {}
        show_report(work, as_json, as_events, run_id=run_id)


@researching.command(epilog=examples("resume"), rich_help_panel=RESEARCH)
def resume(run: UnfinishedRun = None, out: OtherOut = None, as_json: Json = False, as_events: Events = False) -> None:
    """Go on with an interrupted run where it stopped; nothing that was answered is asked again."""

    def work(progress: "Progress") -> Awaitable["Report"]:

        return aresume(run, out=out, on_event=progress, on_review=review_in_terminal(progress))

    with errors_told(as_events):
        show_report(work, as_json, as_events)


@researching.command(epilog=examples("replay"), rich_help_panel=RESEARCH)
def replay(run: FinishedRun = None, out: OtherOut = None, as_json: Json = False) -> None:
    """Run a finished run again from its journal: no model is called, nothing is searched, and the report is the same."""
    show_report(lambda _: areplay(run, out=out), as_json)


@researching.command(epilog=examples("batch"), rich_help_panel=RESEARCH)
def batch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A question a line, or a JSON object a line.")],
    docs: Docs = None,
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
    asked = read_batch(file)
    kept = results or file.with_name(f"{file.name}.results.jsonl")
    check_appendable(kept)
    check_writable(out)
    folders = [str(folder) for folder in docs or []]

    async def main() -> list[Outcome]:
        shared = {"documents": folders} if folders else {}
        where = nullcontext(Here(out, folders, {})) if server is None else There(server, out, shared)
        async with where as runner:
            with batch_progress(len(asked)) as progress:
                return await run_batch(asked, runner, kept, jobs, progress)

    outcomes = until_interrupted(main(), f"leadline batch {file}")
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    for one in failed:
        echo(f"FAILED {one.id}: {one.error}", err=True)
    echo(f"{len(outcomes) - len(failed)} of {len(outcomes)} done; results in {kept}", err=True)
    if failed:
        raise typer.Exit(EXIT_FAILED)
