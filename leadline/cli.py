"""The command line. Progress goes to stderr, the report to stdout.

Exit codes: 0 done, 1 failed, 2 bad input, 3 nothing was found, 130 interrupted and resumable.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from leadline.cli_checks import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, Docs, checks
from leadline.review import ReviewPending, review_in_terminal
from services.errors import BadInput, LeadlineError

if TYPE_CHECKING:
    from leadline.api import OnEvent
    from schemas.reporter import Report

EXIT_NO_EVIDENCE = 3

app = typer.Typer(
    name="leadline",
    help="Deep research that proves what it says.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)

Ended = TypeVar("Ended")

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder below which the report is written.")]
Formats = Annotated[
    str, typer.Option("--format", metavar="F,F,…", help="Files to make: md, html, slides, pptx, docx, pdf.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON instead of Markdown.")]


@app.command()
def research(
    question: Annotated[str, typer.Argument(help="What you want to know, in English, Chinese or another language.")],
    docs: Docs = None,
    out: Out = Path("out"),
    formats: Formats = "md",
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
    length: Annotated[str, typer.Option(metavar="HOW", help="brief, standard or full (in sections).")] = "standard",
    words: Annotated[int | None, typer.Option(metavar="N", help="Words that the report is to have.")] = None,
    style: Annotated[
        str, typer.Option(metavar="STYLE", help="report (from sources) or data (computed from your data).")
    ] = "report",
    search: Annotated[
        str | None, typer.Option(metavar="WHERE", help="auto, tavily, duckduckgo, documents or none.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(metavar="N", help="Tokens that the run may use, in and out.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(metavar="USD", help="Dollars that its model calls may cost.")
    ] = None,
    max_seconds: Annotated[int, typer.Option(metavar="S", help="Seconds that it may take.")] = 900,
    max_searches: Annotated[int | None, typer.Option(metavar="N", help="Searches that it may make.")] = None,
    max_pages: Annotated[int | None, typer.Option(metavar="N", help="Web pages that it may read.")] = None,
    as_json: Json = False,
) -> None:
    """Research a question: plan, search, quote, check, report.

    leadline research "Who invented the sounding machine?" --docs papers
    """
    from leadline.profiles import load_profile
    from services.reports.formats import chosen_formats

    choices: dict[str, Any] = {
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
    }
    folders = list(docs or [])
    if profile is not None:
        loaded, own = load_profile(profile)
        choices["profile"] = loaded
        folders = folders or own

    def work(progress: "OnEvent") -> Awaitable["Report"]:
        from leadline.api import aresearch

        return aresearch(question, docs=folders, out=out, on_event=progress, on_review=review_in_terminal, **choices)

    _show(work, as_json, question)


@app.command()
def resume(
    run: Annotated[str | None, typer.Argument(help="Id of the run; by default the latest unfinished one.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write the report below this folder instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Go on with an interrupted run where it stopped."""

    def work(progress: "OnEvent") -> Awaitable["Report"]:
        from leadline.api import aresume

        return aresume(run, out=out, on_event=progress, on_review=review_in_terminal)

    _show(work, as_json)


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
def report(
    run: Annotated[str, typer.Argument(help="Id of a finished run, as `leadline runs` lists it.")],
    formats: Formats = "html",
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write below this folder instead of the report's own.")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the files when they are made.")] = False,
) -> None:
    """Make files of a finished run's report: a page, slides, PowerPoint, Word, PDF. Nothing is asked or searched.

    leadline report 20260301-101500-1234567f --format html,pptx,pdf --open
    """
    from leadline.api import areport
    from services.reports.formats import chosen_formats

    made = asyncio.run(areport(run, chosen_formats(formats), out=out))
    for name in made.files:
        place = Path(str(made.folder)) / name
        typer.echo(place)
        if open_it:
            typer.launch(place.absolute().as_uri())


@app.command()
def refresh(
    run: Annotated[str, typer.Argument(help="Id of a finished run.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Read a report's documents and pages again, and show which claims hold, changed or fell. No model is asked."""
    from leadline.api import arefresh
    from leadline.refresh import as_markdown

    found, folder = asyncio.run(arefresh(run))
    text = as_markdown(found)
    if folder is not None and Path(folder).is_dir():
        (Path(folder) / "refresh.md").write_text(text, "utf-8")
        typer.echo(f"Written to {folder}/refresh.md", err=True)
    typer.echo(found.model_dump_json(indent=2) if as_json else text)
    if found.count("fallen"):
        raise typer.Exit(EXIT_FAILED)


@app.command()
def runs() -> None:
    """List all runs, the newest first."""
    from leadline.api import aruns

    for record in asyncio.run(aruns()):
        where = f"  {record.folder}" if record.folder else ""
        typer.echo(f"{record.id}  {record.status:<11}  {' '.join(record.question.split())[:80]}{where}")


@app.command()
def show(
    run: Annotated[str | None, typer.Argument(help="Id of the run; by default the latest.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the timeline as a page instead.")] = None,
) -> None:
    """Show what a run did when: every call, how long it took, and what waited for what."""
    from leadline.api import atimeline

    record, timeline = asyncio.run(atimeline(run))
    title = " ".join(record.question.split())
    if html is not None:
        try:
            html.write_text(timeline.html(f"{title} ({record.id})"), "utf-8")
        except OSError as error:
            raise BadInput(f"{html} cannot be written ({error.strerror}). Name another file.") from None
        typer.echo(f"Written to {html}", err=True)
        return
    typer.echo(f"{record.id}  {record.status}  {title}\n")
    typer.echo("\n".join(timeline.lines()))
    sums = "; ".join(f"{kind}: {calls} ({seconds:.2f} s)" for kind, calls, seconds in timeline.by_kind())
    typer.echo(f"\n{timeline.seconds:.2f} s from the first call to the last. {sums}")


@app.command()
def batch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A question a line, or a JSON object a line.")],
    docs: Docs = None,
    out: Out = Path("out"),
    jobs: Annotated[int, typer.Option(min=1, max=100, metavar="N", help="Questions at a time.")] = 4,
    server: Annotated[
        str | None, typer.Option(metavar="URL", help="Research on this server (langgraph dev, or a deployed one).")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Results, a JSON line each; by default FILE.results.jsonl.")
    ] = None,
) -> None:
    """Research many questions; started again, it goes on where it stopped.

    leadline batch questions.jsonl --docs papers --jobs 8
    """
    from leadline.batch import Outcome, read_batch, run_batch
    from leadline.progress import batch_progress
    from leadline.runners import Here, There

    asked = read_batch(file)
    kept = results or file.with_name(f"{file.name}.results.jsonl")
    folders = [str(folder) for folder in docs or []]

    async def main() -> list[Outcome]:
        shared = {"documents": folders} if folders else {}
        where = nullcontext(Here(out, folders, {})) if server is None else There(server, out, shared)
        async with where as runner:
            with batch_progress(len(asked)) as progress:
                return await run_batch(asked, runner, kept, jobs, progress)

    outcomes = _until_interrupted(main(), f"leadline batch {file}")
    failed = [one for one in outcomes if one.status == "failed"]
    for one in failed:
        typer.echo(f"FAILED {one.id}: {one.error}", err=True)
    typer.echo(f"{len(outcomes) - len(failed)} of {len(outcomes)} done; results in {kept}", err=True)
    if failed:
        raise typer.Exit(EXIT_FAILED)


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=1, max=65_535, metavar="P", help="Port to listen at.")] = 2024,
    host: Annotated[
        str, typer.Option(metavar="H", help="Address to listen at; another machine needs a token.")
    ] = "127.0.0.1",
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the page in a browser.")] = False,
) -> None:
    """Serve the page and the API, and open the page. Everything is kept below LEADLINE_HOME; Ctrl-C stops it.

    leadline serve --port 8000
    """
    from leadline.serve import serve as until_stopped

    def ready(address: str) -> None:
        typer.echo(f"Leadline is at {address} (the API, too). Stop it with Ctrl-C.", err=True)
        if not no_open:
            typer.launch(address)

    typer.echo("Starting …", err=True)
    raise typer.Exit(until_stopped(host, port, ready))


@app.command()
def mcp() -> None:
    """Serve research, read_report and verify_report to MCP clients over stdin and stdout."""
    from leadline.mcp_server import serve

    asyncio.run(serve())


app.add_typer(checks)


def _show(work: Callable[["OnEvent"], Awaitable["Report"]], as_json: bool, question: str = "") -> None:
    """Run to the report and print it; the folder of its files is named on stderr.

    Args:
        work: what to do; it imports the graph, so the first line of progress is out before.
        as_json: print the report as JSON.
        question: what is asked, if it is known already.
    """
    from leadline.progress import live_progress, starting

    async def main() -> "Report":
        with live_progress() as progress:
            if question.strip():
                progress(starting(question))
            return await work(progress)

    finished = _until_interrupted(main())
    typer.echo(finished.model_dump_json(indent=2) if as_json else finished.markdown)
    if finished.folder:
        typer.echo(f"\nWritten to {finished.folder} (check it with: leadline verify {finished.folder})", err=True)
        for name in finished.files[1:]:
            typer.echo(f"  {Path(finished.folder) / name}", err=True)
    if not finished.direct and not finished.excerpts:
        raise typer.Exit(EXIT_NO_EVIDENCE)


def _until_interrupted(main: Coroutine[Any, Any, Ended], again: str = "leadline resume") -> Ended:
    """Run to the end; SIGTERM ends a run as Ctrl-C does, so that it can be gone on with."""
    try:
        return asyncio.run(_cancelled_by_sigterm(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo(f"\nInterrupted. Go on with: {again}", err=True)
    except ReviewPending as pending:
        typer.echo(f"\nThe plan waits for your review. Go on with: leadline resume {pending}", err=True)
    raise typer.Exit(EXIT_INTERRUPTED)


async def _cancelled_by_sigterm(main: Coroutine[Any, Any, Ended]) -> Ended:
    """Await something that SIGTERM cancels, also in the background of a script, where SIGINT is ignored."""
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await main


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
