"""Progress on stderr: a live view in a terminal, one line per event elsewhere, or JSON lines for programs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from leadline.progress.live import LiveView
from leadline.progress.plan_review import Display
from leadline.progress.run_view import MARKS_OF_REPORTS, call_place, outline_line, standing_of
from leadline.progress.terminal import as_typed, console_of, lead_nowhere
from schemas.clean_text import clean_line
from schemas.events import CallProgress, Event
from services.run.ui_text import say

_MARKS = {
    "notice": "·",
    "estimate": "·",
    "triage": "?",
    "reading": "~",
    "searching": "~",
    "background": "~",
    "plan": "#",
    "step_started": ">",
    "source": "+",
    "searched": "-",
    "round": "-",
    "step_finished": "=",
    "reflection": "*",
    "steering": "@",
    "limit": "!",
    "call_progress": ".",
    "report": "·",
}
"""Mark of each event kind."""
REPEATED_AFTER = 15.0
"""Seconds after which an unchanged call is printed again."""


class Lines(Display):
    """Prints one line per event, like a log."""

    def __init__(self, console: Console) -> None:
        """Print on this console."""
        self._console = console
        self._locale = "en"
        self._printed: dict[tuple[str, str], CallProgress] = {}
        """Last printed state of slow calls, by role and step."""
        self._read: set[str] = set()
        """Addresses of the printed sources: several steps may quote one."""
        self._reading = ""
        """Last printed line on the reading of documents, which may stand still."""
        self._held: Event | None = None
        """A plan, printed with the next event: where it waits for its review, that shows it."""

    def __call__(self, event: Event) -> None:
        """Print one event; only slow model calls are printed."""
        if event.type == "call":
            self._printed.pop(call_place(event.data), None)
        if event.type not in _MARKS or (event.type == "call_progress" and not self._is_news(event)):
            return
        if event.type == "estimate" and not event.data["told"]:
            return
        if event.type == "source" and not self._is_new(event):
            return
        if event.type == "reading" and event.title == self._reading:
            return
        self._reading = event.title if event.type == "reading" else ""
        due, self._held = self._held, event if event.type == "plan" else None
        for told in filter(None, (due, None if self._held else event)):
            self._tell(told)

    def _tell(self, event: Event) -> None:
        self._print(f"{_mark(event)} {event.title}")
        if event.type == "plan":
            for step in event.data.get("steps", []):
                self._print(_step_line(step, self._locale))
        self._locale = str(event.data.get("locale") or self._locale) if event.type == "triage" else self._locale
        for node in event.data.get("outline", []) if event.type == "reflection" else []:
            self._print(f"    {outline_line(node, self._locale)}")

    def _is_news(self, event: Event) -> bool:
        """Tell whether a call has changed since its last line, or is unchanged for long."""
        place, stands = call_place(event.data), CallProgress.model_validate(event.data)
        before = self._printed.get(place)
        same = before is not None and stands.state == before.state != "again" and stands.attempt == before.attempt
        if same and before is not None and 0 <= stands.seconds - before.seconds < REPEATED_AFTER:
            return False
        self._printed[place] = stands
        return True

    def _is_new(self, event: Event) -> bool:
        address = str(event.data.get("url") or event.title)
        known = address in self._read
        self._read.add(address)
        return not known

    def _print(self, line: str) -> None:
        try:
            self._console.print(Text(clean_line(as_typed(line))), soft_wrap=True)
        except BrokenPipeError:
            raise
        except OSError:  # a full disk: the run goes on without its progress
            lead_nowhere(sys.stderr)

    def ask(self, request: dict[str, Any]) -> None:
        """Print the plan."""
        self._held = None
        super().ask(request)


class JsonLines(Display):
    """Prints every event as a line of JSON, in the form of `schemas/events.py`."""

    def __call__(self, event: Event) -> None:
        """Print one event, at once."""
        sys.stderr.write(f"{event.model_dump_json()}\n")
        sys.stderr.flush()

    def ask(self, request: dict[str, Any]) -> None:
        """Print the plan as an event."""
        self(Event(type="review", node="human_feedback", title=request["message"], data=request))


@contextmanager
def progress_shown(*, as_json: bool = False) -> Iterator[Display]:
    """Show progress while the block runs; nothing is ever written to stdout."""
    if as_json:
        yield JsonLines()
        return
    console = console_of(err=True)
    # Lines are redrawn in a terminal that can; colours alone (FORCE_COLOR) do not suffice
    if not sys.stderr.isatty() or console.is_dumb_terminal or not os.environ.get("TERM"):
        yield Lines(console)
        return
    with LiveView(console).running() as view:
        yield view


def _mark(event: Event) -> str:
    if event.type == "step_finished" and event.data.get("status") != "done":
        return "x"
    if event.type == "call_progress" and event.data.get("state") == "again":
        return "!"
    if event.type == "report":
        return MARKS_OF_REPORTS[standing_of(event.data)][0]
    return _MARKS[event.type]


def _step_line(step: dict[str, object], locale: str) -> str:
    needs = step.get("depends_on")
    after = f" (after {', '.join(map(str, needs))})" if isinstance(needs, list) and needs else ""
    kind = say(f"step_{step['step_type']}", locale)
    return f"    {step['id']}. [{kind}] {step['title']}{after}"
