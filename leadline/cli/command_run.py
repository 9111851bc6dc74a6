"""Runs a command to its report: progress on stderr, the report on stdout, and the result as text or a JSON line."""

import asyncio
import re
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import typer

from leadline.cli import EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_NO_EVIDENCE
from leadline.progress.lines import progress_shown
from leadline.progress.plan_review import Display
from leadline.progress.terminal import argument, as_typed, console_of, echo
from leadline.runs.run_ids import complete_run_id, shown_folder
from schemas.context import RunContext
from schemas.events import Event
from schemas.reporter import Report
from services.run.errors import BadInput, LeadlineError, ReviewPending
from services.run.roles import OFFLINE, role_model
from services.run.ui_text import say
from services.text.tokens import message_language

Ended = TypeVar("Ended")
_WEB_CITATION = re.compile(r"\[(\[\d{1,6}\])\]\(https?://[^()\s]*\)", re.IGNORECASE)
GRACE = 10.0
"""Seconds after SIGTERM or Ctrl-C in which a run stores its progress."""
FROZEN = 60.0
"""Seconds of processor time without a turn of the event loop after which the operating system ends the command."""
BEAT = 5.0
"""Seconds between two heartbeats."""


@dataclass(slots=True)
class Begun(Display):
    """The run of a command, as its first event tells it, and the display of its events."""

    run_id: str = ""
    locale: str = ""
    display: Display = field(default_factory=Display)

    def __call__(self, event: Event) -> None:
        """Take the run's id and language from the event that names them, and show it."""
        if run_id := event.data.get("run_id"):
            self.run_id, self.locale = str(run_id), message_language(event.title)
        self.display(event)

    def paused(self) -> AbstractContextManager[None]:
        """Pause the display."""
        return self.display.paused()

    def ask(self, request: dict[str, Any]) -> None:
        """Show the question in the display."""
        self.display.ask(request)


def show_report(
    work: Callable[[Display], Awaitable[Report]],
    as_json: bool,
    as_events: bool = False,
    run_id: str = "",
) -> None:
    """Run to the report and print it; the folder of its files is printed on stderr."""
    begun = Begun(run_id)

    async def main() -> Report:
        with progress_shown(as_json=as_events) as begun.display:
            return await work(begun)

    finished = until_interrupted(main(), as_events=as_events, begun=begun)
    code = 0 if finished.direct or finished.shows_evidence else EXIT_NO_EVIDENCE
    about = {"run_id": finished.run_id, "folder": finished.folder, "files": finished.files}
    try:
        if as_json:
            echo(finished.model_dump_json(indent=2))
        else:
            echo_report(finished)
    finally:  # the files are there also where nothing can be written to standard output
        last_word(_written_to(finished), code, as_events, **about)
    if finished.run_id and sys.stderr.isatty() and not as_events:
        _offer(finished)
    if code:
        raise typer.Exit(code)


def echo_report(report: Report) -> None:
    """Write a report to standard output: formatted for a terminal, elsewhere as Markdown, with web addresses in its references alone."""
    if sys.stdout.isatty():
        from leadline.cli.report_text import print_report

        print_report(report, console_of())
    else:
        echo(_WEB_CITATION.sub(r"\1", report.markdown))


def _offer(report: Report) -> None:
    """Print how to continue the conversation: with a recommended question by number, or with an answer."""
    if not sys.stdout.isatty():  # the report itself is not read here
        for number, question in enumerate(report.follow_up_questions, 1):
            echo(f"  {number}. {question}", err=True)
    if report.follow_up_questions:
        echo(say("ask_on", report.locale, commands='leadline follow 1, leadline follow "…"'), err=True)
    elif report.asks_back:
        echo(say("answer_back", report.locale, command='leadline follow "…"'), err=True)


def _written_to(finished: Report) -> str:
    unconnected = finished.without_model and role_model("reporter", RunContext()).model == OFFLINE
    hint = [say("connect_a_model", finished.locale, command="leadline init")] if unconnected else []
    if not finished.shows_evidence and not finished.direct:
        hint.insert(0, say("search_elsewhere", finished.locale))
    if not finished.folder:
        return "\n".join(hint)
    shown = shown_folder(finished.folder)
    folder = argument(shown)
    written = say("written_to", finished.locale, folder=shown, verify=f"leadline verify {folder}")
    export = f"leadline runs export {folder} --format html,slides"
    files = [str(Path(shown) / name) for name in finished.files[1:]]
    if not any(file.endswith(".html") for file in files):
        files.append(say("as_page_and_slides", finished.locale, export=export))
    return "\n".join([f"\n{written}", *(f"  {line}" for line in files), *hint])


def last_word(text: str, code: int, as_events: bool, **about: object) -> None:
    """Print the result of a command: as text, or as the last JSON line."""
    if as_events:
        title = " · ".join(line.strip() for line in as_typed(text).splitlines() if line.strip())
        end = Event(type="end", node="", title=title, data={"exit": code, **about})
        echo(end.model_dump_json(), err=True)
    elif text:
        echo(text, err=True)


@contextmanager
def errors_as_json(as_events: bool) -> Iterator[None]:
    """Convert an error in the block to a last JSON line, if progress is JSON lines."""
    try:
        yield
    except LeadlineError as error:
        if not as_events:
            raise
        code = EXIT_BAD_INPUT if isinstance(error, BadInput) else EXIT_FAILED
        last_word(str(error), code, as_events=True, error=type(error).__name__)
        raise typer.Exit(code) from error


def until_interrupted(
    main: Coroutine[Any, Any, Ended],
    again: str = "leadline resume",
    told: str = "interrupted",
    *,
    as_events: bool = False,
    begun: Begun | None = None,
) -> Ended:
    """Run to the end; SIGTERM stops a run like Ctrl-C, resumable and within `GRACE` seconds; the message of a key says how to go on."""
    of = begun or Begun()
    try:
        return asyncio.run(_cancelled_by_signals(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        is_stored = not of.run_id or complete_run_id(of.run_id)
        message = say(told if is_stored else "interrupted_early", of.locale, command=again)
    except ReviewPending as pending:
        of.run_id = pending.run_id
        message = say("waiting_for_review", of.locale, command=f"leadline resume {pending.run_id}")
    last_word(f"\n{message}", EXIT_INTERRUPTED, as_events, run_id=of.run_id)
    raise typer.Exit(EXIT_INTERRUPTED)


async def _cancelled_by_signals(main: Coroutine[Any, Any, Ended]) -> Ended:
    """Await a coroutine that SIGTERM and SIGINT cancel; not SIGINT in the background of a script, which ignores it."""
    task = asyncio.current_task()
    if task is not None and sys.platform != "win32":
        loop = asyncio.get_running_loop()
        ending = [
            number for number in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(number) is not signal.SIG_IGN
        ]
        for number in ending:
            loop.add_signal_handler(number, _end, task, loop, ending)
    with _ended_when_frozen():
        return await main


@contextmanager
def _ended_when_frozen() -> Iterator[None]:
    """Let the operating system end this process if the event loop stops running.

    A C function that keeps Python's lock lets nothing else in the process run, no signal handler either. The timer counts processor
    time, so a command that is stopped with Ctrl-Z is not taken for a frozen one.
    """
    if sys.platform == "win32":
        yield
        return
    loop = asyncio.get_running_loop()
    beat: asyncio.TimerHandle

    def postpone() -> None:
        nonlocal beat
        signal.setitimer(signal.ITIMER_VIRTUAL, FROZEN)
        beat = loop.call_later(BEAT, postpone)

    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    postpone()
    try:
        yield
    finally:
        beat.cancel()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _end(task: asyncio.Task[Any], loop: asyncio.AbstractEventLoop, ending: list[signal.Signals]) -> None:
    """Cancel a run, and ensure that the process ends although its threads may be busy.

    A second signal ends it at once, and after `GRACE` seconds the system does, which waits for nothing in the process.
    """
    task.cancel()
    for number in ending:
        loop.remove_signal_handler(number)  # restores the signals' default actions
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, GRACE)
