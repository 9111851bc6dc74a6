"""Commands that research: a question, an interrupted run, a finished one again, many questions."""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from leadline.cli_examples import examples
from leadline.cli_options import (
    CHOICES,
    EXIT_BAD_INPUT,
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_NO_EVIDENCE,
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
from leadline.review import ReviewPending, review_in_terminal
from schemas.events import Event
from services.errors import BadInput, LeadlineError

if TYPE_CHECKING:
    from leadline.progress import Progress
    from schemas.reporter import Report

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
    from leadline.profiles import load_profile
    from leadline.run_ids import new_run_id
    from services.reports.formats import chosen_formats

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
        from leadline.api import aresearch

        review_plan = review_in_terminal(progress)
        return aresearch(asked, out=out, on_event=progress, on_review=review_plan, run_id=run_id, **chosen)

    with _errors_told(as_events):
        chosen = choices()
        _show(work, as_json, as_events, asked, run_id)


def _from_stdin() -> str:
    if sys.stdin.isatty():
        typer.echo("Type the question; Ctrl-D ends it.", err=True)
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
    from leadline.run_ids import new_run_id
    from services.reports.formats import chosen_formats

    run_id = new_run_id()

    def work(progress: "Progress") -> Awaitable["Report"]:
        from leadline.api import aresearch

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

    with _errors_told(as_events):
        if len(asked) > 2:
            raise BadInput('Ask one question, in quotes: leadline follow "And where was he born?"')
        run, question = (asked[0] if len(asked) > 1 else "latest"), asked[-1]
        choices: dict[str, Any] = {"output_formats": chosen_formats(formats)} if formats else {}
        choices |= {"deep_research": False} if quick else {}
        choices |= {"review_plan": True} if review else {}
        _show(work, as_json, as_events, run_id=run_id)


@researching.command(epilog=examples("resume"), rich_help_panel=RESEARCH)
def resume(run: UnfinishedRun = None, out: OtherOut = None, as_json: Json = False, as_events: Events = False) -> None:
    """Go on with an interrupted run where it stopped; nothing that was answered is asked again."""

    def work(progress: "Progress") -> Awaitable["Report"]:
        from leadline.api import aresume

        return aresume(run, out=out, on_event=progress, on_review=review_in_terminal(progress))

    with _errors_told(as_events):
        _show(work, as_json, as_events)


@researching.command(epilog=examples("replay"), rich_help_panel=RESEARCH)
def replay(run: FinishedRun = None, out: OtherOut = None, as_json: Json = False) -> None:
    """Run a finished run again from its journal: no model is called, nothing is searched, and the report is the same."""
    from leadline.api import areplay

    _show(lambda _: areplay(run, out=out), as_json)


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
    from leadline.batch import Outcome, check_appendable, read_batch, run_batch
    from leadline.output import check_writable
    from leadline.progress import batch_progress
    from leadline.runners import Here, There

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

    outcomes = _until_interrupted(main(), f"leadline batch {file}")
    failed = [one for one in outcomes if one.status == "failed"]
    for one in failed:
        typer.echo(f"FAILED {one.id}: {one.error}", err=True)
    typer.echo(f"{len(outcomes) - len(failed)} of {len(outcomes)} done; results in {kept}", err=True)
    if failed:
        raise typer.Exit(EXIT_FAILED)


def _show(
    work: Callable[["Progress"], Awaitable["Report"]],
    as_json: bool,
    as_events: bool = False,
    question: str = "",
    run_id: str = "",
) -> None:
    """Run to the report and print it; the folder of its files is named on stderr.

    Args:
        work: what to do; it imports the graph, so the first line of progress is out before.
        as_json: print the report as JSON.
        as_events: print progress, and how it ended, as JSON lines.
        question: what is asked, if it is known already.
        run_id: name of the run, if it is known already.
    """
    from leadline.progress import progress_shown
    from leadline.starting import starting

    async def main() -> "Report":
        with progress_shown(as_json=as_events) as progress:
            if question.strip():
                progress(starting(question, run_id))
            return await work(progress)

    finished = _until_interrupted(main(), as_events=as_events, run_id=run_id)
    typer.echo(finished.model_dump_json(indent=2) if as_json else finished.markdown)
    code = 0 if finished.direct or finished.excerpts else EXIT_NO_EVIDENCE
    about = {"run_id": finished.run_id, "folder": finished.folder, "files": finished.files}
    _last_word(_written_to(finished), code, as_events, **about)
    if finished.run_id and sys.stderr.isatty() and not as_events:
        _offer(finished)
    if code:
        raise typer.Exit(code)


def _offer(report: "Report") -> None:
    """Say how to go on with the conversation: with a recommended question by its number, or with an answer."""
    for number, question in enumerate(report.follow_up_questions, 1):
        typer.echo(f"  {number}. {question}", err=True)
    if report.follow_up_questions:
        typer.echo(
            'Ask one of them with its number, or something else: leadline follow 1, leadline follow "…"', err=True
        )
    elif report.asks_back:
        typer.echo('Answer with: leadline follow "…"', err=True)


def _written_to(finished: "Report") -> str:
    if not finished.folder:
        return ""
    said = [f"\nWritten to {finished.folder} (check it with: leadline verify {finished.folder})"]
    return "\n".join([*said, *(f"  {Path(finished.folder) / name}" for name in finished.files[1:])])


def _last_word(text: str, code: int, as_events: bool, **about: object) -> None:
    """Say how a command ended: in words, or as the last of its JSON lines."""
    if as_events:
        end = Event(type="end", node="", title=" ".join(text.split()), data={"exit": code, **about})
        typer.echo(end.model_dump_json(), err=True)
    elif text:
        typer.echo(text, err=True)


class _errors_told:  # noqa: N801 - used like a function
    """While the block runs, an error ends the command with a last JSON line, where progress is JSON lines."""

    def __init__(self, as_events: bool) -> None:
        self._as_events = as_events

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if self._as_events and isinstance(error, LeadlineError):
            code = EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED
            _last_word(str(error), code, as_events=True, error=type(error).__name__)
            raise typer.Exit(code) from error


def _until_interrupted(
    main: Coroutine[Any, Any, Ended], again: str = "leadline resume", *, as_events: bool = False, run_id: str = ""
) -> Ended:
    """Run to the end; SIGTERM ends a run as Ctrl-C does, so that it can be gone on with."""
    try:
        return asyncio.run(_cancelled_by_sigterm(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        said = f"\nInterrupted. Go on with: {again}"
    except ReviewPending as pending:
        said, run_id = f"\nThe plan waits for your review. Go on with: leadline resume {pending}", str(pending)
    _last_word(said, EXIT_INTERRUPTED, as_events, run_id=run_id)
    raise typer.Exit(EXIT_INTERRUPTED)


async def _cancelled_by_sigterm(main: Coroutine[Any, Any, Ended]) -> Ended:
    """Await something that SIGTERM cancels, also in the background of a script, where SIGINT is ignored."""
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await main
