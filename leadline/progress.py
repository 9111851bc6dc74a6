"""Live progress on stderr: coloured lines with a spinner in a terminal, a plain log elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.status import Status
from rich.text import Text

from schemas.events import Event
from services.messages import say
from services.search.tokens import has_cjk

if TYPE_CHECKING:
    from leadline.batch import Outcome

LONGEST_QUESTION = 100
"""Characters of a question that are shown at the start."""
_MARKS = {
    "notice": ("!", "yellow"),
    "triage": ("?", "cyan"),
    "background": ("~", "cyan"),
    "plan": ("#", "bold blue"),
    "step_started": (">", "blue"),
    "source": ("+", "dim"),
    "step_finished": ("=", "green"),
    "reflection": ("*", "magenta"),
    "limit": ("!", "yellow"),
    "report": ("✓", "bold green"),
}


class Progress:
    """Prints one line an event; in a terminal the last thing begun keeps spinning below."""

    def __init__(self, console: Console, status: Status | None) -> None:
        self._console = console
        self._status = status

    def __call__(self, event: Event) -> None:
        """Show one event."""
        mark, style = _MARKS[event.type]
        if event.type == "step_finished" and event.data.get("status") != "done":
            mark, style = "x", "red"
        self._console.print(Text(f"{mark} {event.title}", style=style if self._status else ""), soft_wrap=True)
        if event.type == "plan":
            for step in event.data.get("steps", []):
                self._console.print(Text(_step_line(step)), soft_wrap=True)
        if self._status is not None:
            self._status.update(Text(event.title))


def starting(question: str) -> Event:
    """Return the line that is out before anything else is loaded: which question is being researched."""
    line = " ".join(question.split())
    shown = line if len(line) <= LONGEST_QUESTION else f"{line[:LONGEST_QUESTION]}…"
    return Event(type="notice", node="", title=say("starting", "zh" if has_cjk(question) else "en", question=shown))


@contextmanager
def batch_progress(total: int) -> "Iterator[Callable[[Outcome], None]]":
    """Show how many questions of a batch are done while the block runs: a bar in a terminal, a line each elsewhere."""
    from rich.progress import Progress as Bar

    console = Console(stderr=True, highlight=False)
    with Bar(console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total)

        def ended(outcome: "Outcome") -> None:
            line = " ".join(outcome.question.split())[:LONGEST_QUESTION]
            mark, style = ("✓", "green") if outcome.status == "done" else ("x", "red")
            bar.console.print(Text(f"{mark} {outcome.id}  {line}", style=style if console.is_terminal else ""))
            bar.advance(task)

        yield ended


def _step_line(step: dict[str, object]) -> str:
    needs = step.get("depends_on")
    after = f" (after {', '.join(map(str, needs))})" if isinstance(needs, list) and needs else ""
    return f"    {step['id']}. [{step['step_type']}] {step['title']}{after}"


@contextmanager
def live_progress() -> Iterator[Progress]:
    """Show progress while the block runs; nothing is ever written to stdout."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield Progress(console, None)
        return
    with console.status("…") as status:
        yield Progress(console, status)
