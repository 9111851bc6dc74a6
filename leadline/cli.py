"""The command line. Progress goes to stderr, the report to stdout.

Exit codes: 0 done, 1 failed, 2 bad input, 3 nothing was found, 130 interrupted and resumable.
"""

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from leadline.review import review_in_terminal
from schemas.reporter import Report
from services.errors import BadInput, LeadlineError

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_NO_EVIDENCE, EXIT_INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    name="leadline",
    help="Deep research that proves what it says.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

Docs = Annotated[
    list[Path] | None, typer.Option("--docs", metavar="DIR", help="Folder of your own documents; repeatable.")
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder below which the report is written.")]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON instead of Markdown.")]


@app.command()
def research(
    question: Annotated[str, typer.Argument(help="What you want to know, in English, Chinese or another language.")],
    docs: Docs = None,
    out: Out = Path("out"),
    locale: Annotated[str, typer.Option(metavar="L", help="Language of the report: auto, en-US, zh-CN, …")] = "auto",
    max_plans: Annotated[int, typer.Option(metavar="N", help="Plans a run may make, 1 to 10.")] = 3,
    max_steps: Annotated[int, typer.Option(metavar="N", help="Steps a plan may have, 1 to 20.")] = 3,
    quick: Annotated[bool, typer.Option("--quick", help="Answer from one quick search, without a plan.")] = False,
    review: Annotated[
        bool, typer.Option("--review", help="Show the plan and wait for your word before the work.")
    ] = False,
    profile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Profile (YAML): scope, replies, documents.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Research a question: plan, search, quote, check, report.

    leadline research "Who invented the sounding machine?" --docs papers
    """
    from leadline.api import aresearch
    from leadline.profiles import load_profile

    choices: dict[str, Any] = {
        "locale": locale,
        "max_plan_iterations": max_plans,
        "max_step_num": max_steps,
        "deep_research": not quick,
        "review_plan": review,
    }
    folders = list(docs or [])
    if profile is not None:
        loaded, own = load_profile(profile)
        choices["profile"] = loaded
        folders = folders or own
    _show(
        lambda progress: aresearch(
            question, docs=folders, out=out, on_event=progress, on_review=review_in_terminal, **choices
        ),
        as_json,
    )


@app.command()
def resume(
    run: Annotated[str | None, typer.Argument(help="Id of the run; by default the latest unfinished one.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write the report below this folder instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Go on with an interrupted run where it stopped."""
    from leadline.api import aresume

    _show(lambda progress: aresume(run, out=out, on_event=progress, on_review=review_in_terminal), as_json)


@app.command()
def replay(
    run: Annotated[str, typer.Argument(help="Id of a finished run.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write the report below this folder instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run a finished run again from its journal: no model is called, nothing is searched, and the report is the same."""
    from leadline.api import areplay

    _show(lambda _: areplay(run, out=out), as_json)


@app.command()
def runs() -> None:
    """List all runs, the newest first."""
    from leadline.api import aruns

    for record in asyncio.run(aruns()):
        where = f"  {record.folder}" if record.folder else ""
        typer.echo(f"{record.id}  {record.status:<11}  {' '.join(record.question.split())[:80]}{where}")


@app.command()
def verify(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a report.")]) -> None:
    """Check a report offline: every stored text, quote, claim and citation."""
    from services.evidence.bundle import verify_bundle

    check = verify_bundle(folder)
    counts = ", ".join(f"{count} {name}" for name, count in check.checked.items())
    for problem in check.problems:
        typer.echo(f"FAILED {problem}", err=True)
    if check.problems:
        typer.echo(f"{folder}: {len(check.problems)} of the checks failed ({counts}).", err=True)
        raise typer.Exit(EXIT_FAILED)
    typer.echo(f"{folder}: everything holds ({counts}).")


def _show(work: Any, as_json: bool) -> None:
    """Run to the report and print it; the folder of its files is named on stderr."""
    from leadline.progress import live_progress

    async def main() -> Report:
        with live_progress() as progress:
            report: Report = await work(progress)
            return report

    report = _until_interrupted(main())
    typer.echo(report.model_dump_json(indent=2) if as_json else report.markdown)
    if report.folder:
        typer.echo(f"\nWritten to {report.folder} (check it with: leadline verify {report.folder})", err=True)
    if not report.direct and not report.excerpts:
        raise typer.Exit(EXIT_NO_EVIDENCE)


def _until_interrupted(main: Coroutine[Any, Any, Report]) -> Report:
    from leadline.api import ReviewPending

    try:
        return asyncio.run(main)
    except KeyboardInterrupt:
        typer.echo("\nInterrupted. Go on with: leadline resume", err=True)
    except ReviewPending as pending:
        typer.echo(f"\nThe plan waits for your review. Go on with: leadline resume {pending}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


def main() -> None:
    """Run the command line; errors that are meant for people are printed as one message."""
    try:
        app()
    except LeadlineError as error:
        typer.echo(f"leadline: {error}", err=True)
        sys.exit(EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED)
    except Exception as error:
        if os.environ.get("LEADLINE_DEBUG"):
            raise
        typer.echo(
            f"leadline: unexpected {type(error).__name__}: {error}. Set LEADLINE_DEBUG=1 to see where.", err=True
        )
        sys.exit(EXIT_FAILED)


if __name__ == "__main__":
    main()
