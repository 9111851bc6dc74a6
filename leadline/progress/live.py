"""The live view of a run in a terminal: plans with steps, slow calls, the report being written, and usage.

It is drawn again several times a second below what was printed. A line never reaches the terminal's edge, so that it stays one line.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from leadline.progress.plan_review import Display
from leadline.progress.run_view import MARKS_OF_REPORTS, PlanSeen, StepSeen, Watched
from leadline.progress.terminal import as_typed, wrapped
from schemas.events import Event
from services.run.ui_text import say

FRAMES_A_SECOND = 8
MIN_TITLE = 16
"""Minimum columns of a step's title beside its details."""
DRAFT_LINES = 8
"""Maximum lines of the report being written, if the terminal is high enough."""
DRAFT_CHARACTERS = 4_000
"""Characters at its end that are broken into lines."""
SPINNER, ASCII_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
MARKS = {
    "waiting": ("·", ".", "dim"),
    "running": ("", "", "cyan"),
    "done": ("✓", "+", "green"),
    "failed": ("✗", "x", "red"),
    "skipped": ("-", "-", "yellow"),
}
"""Mark of a step's state, its ASCII mark, and its style."""


class Board:
    """Renders the known state of a run as lines that fit the console."""

    def __init__(self, console: Console, watched: Watched) -> None:
        """Render `watched` on `console`."""
        self._console = console
        self._watched = watched
        self._ascii = console.options.ascii_only

    def __call__(self) -> Group:
        """Return the current picture."""
        lines = self._lines(self._console.height - 1)
        width = max(10, self._console.width - 1)
        for line in lines:
            line.truncate(width, overflow="ellipsis")
            line.no_wrap = True
        return Group(*lines)

    def _lines(self, height: int) -> list[Text]:
        seen = self._watched
        groups = [self._plan(number, plan) for number, plan in enumerate(seen.plans, 1)]
        if seen.nodes:
            outline_state = say("seen_outline", seen.locale, count=seen.nodes, thin=seen.thin)
            groups.append([Text(f"  {self._plain(outline_state)}", style="dim")])
        if seen.ended:
            return [*(line for group in groups for line in group), *self._report(), *self._foot()]
        draft, foot = self._draft(), self._foot()
        height -= 1 + len(foot)
        room = height - min(len(draft), DRAFT_LINES, height // 2)
        research_over = 0 if draft else 1
        for place, plan in enumerate(seen.plans[: len(seen.plans) - research_over]):
            if sum(map(len, groups)) > room:
                groups[place] = [self._folded(place + 1, plan)]
        plans = self._cut(groups, room)
        free = max(0, height - len(plans))
        return [*plans, *(draft[-free:] if free else []), *(self._report() or [self._head()]), *foot]

    def _cut(self, groups: list[list[Text]], room: int) -> list[Text]:
        """Return the lines of all plans; the first are left out if there is no room for all."""
        lines = [line for group in groups for line in group]
        over = len(lines) - max(1, room)
        if over <= 0:
            return lines
        return [Text(say("seen_more", self._watched.locale, count=over + 1), style="dim"), *lines[over + 1 :]]

    def _draft(self) -> list[Text]:
        """Return the end of the report being written, as lines that fit."""
        drafted = self._watched.written()[-DRAFT_CHARACTERS:].strip("\n")
        if not drafted:
            return []
        written = Text("\n").join(map(_drafted, drafted.split("\n")))
        lines = wrapped(written, max(10, self._console.width - 3))
        return [Text(""), *(Text.assemble("  ", line) for line in lines)]

    def _head(self) -> Text:
        seen = self._watched
        calls = seen.of_no_step()
        states = [call.titled(seen.locale) if len(calls) > 1 else call.state(seen.locale) for call in calls]
        title = Text.assemble((self._spinner(), "cyan"), " ", " ".join((seen.doing or "…").split()))
        return self._with_detail(title, " · ".join(states))

    def _report(self) -> list[Text]:
        """Return the line of a finished report: its statements by status."""
        seen = self._watched
        if not seen.summary:
            return []
        mark, style = MARKS_OF_REPORTS[seen.standing]
        plain = {"✓": "+", "·": "."}.get(mark, mark)
        return [Text(f"{plain if self._ascii else mark} {self._plain(' '.join(seen.summary.split()))}", style=style)]

    def _foot(self) -> list[Text]:
        seen = self._watched
        cost = f" · {say('seen_cost', seen.locale, cost=f'{seen.cost:.4f}')}" if seen.cost else ""
        lines = [seen.account() + cost, seen.brought(), seen.lost()]
        return [Text(f"  {self._plain(line)}", style="dim") for line in lines if line]

    def _plan(self, number: int, plan: PlanSeen) -> list[Text]:
        title = Text(say("seen_plan", self._watched.locale, number=number, title=plan.title), style="bold")
        return [title, *(self._step(step) for step in plan.steps)]

    def _folded(self, number: int, plan: PlanSeen) -> Text:
        done = sum(step.state == "done" for step in plan.steps)
        progress = say("seen_plan_done", self._watched.locale, done=done, all=len(plan.steps))
        return self._with_detail(
            Text(say("seen_plan", self._watched.locale, number=number, title=plan.title), style="dim"), progress
        )

    def _step(self, step: StepSeen) -> Text:
        sign, plain, style = MARKS[step.state]
        mark = plain if self._ascii else sign
        if step.state == "running":
            mark = "-" if self._watched.ended else self._spinner()
        title = Text.assemble(
            "  ", (mark, style), " ", (f"{step.id} {step.title}", "dim" if step.state == "waiting" else "")
        )
        return self._with_detail(title, self._watched.detail(step))

    def _with_detail(self, title: Text, detail: str) -> Text:
        """Append a detail to a title; in a narrow terminal the detail is shortened first."""
        width = max(10, self._console.width - 1)
        detail = self._plain(detail)
        room = width - min(title.cell_len, max(MIN_TITLE, width - cell_len(detail) - 2)) - 2
        if not detail or room < min(8, cell_len(detail)):
            return title
        shown = Text(detail, style="dim")
        shown.truncate(room, overflow="ellipsis")
        title.truncate(width - shown.cell_len - 2, overflow="ellipsis")
        return Text.assemble(title, "  ", shown)

    def _spinner(self) -> str:
        frames = ASCII_SPINNER if self._ascii else SPINNER
        return frames[int(time.monotonic() * FRAMES_A_SECOND) % len(frames)]

    def _plain(self, text: str) -> str:
        return text.replace(" · ", ", ").replace("…", "...") if self._ascii else text


class LiveView(Display):
    """Shows a run's events in a terminal as one picture, with notices above it."""

    def __init__(self, console: Console) -> None:
        """Draw on this console."""
        self._console = console
        self._watched = Watched()
        self._live = self._new()

    def _new(self) -> Live:
        board = Board(self._console, self._watched)
        return Live(console=self._console, get_renderable=board, refresh_per_second=FRAMES_A_SECOND)

    def __call__(self, event: Event) -> None:
        """Show one event."""
        self._watched.see(event)
        notice = event.type == "notice" and event.node != "reporter" and "run_id" not in event.data
        known = notice or (event.type == "estimate" and event.data["told"])
        if event.type == "limit" or known or event.data.get("failures"):
            self._console.print(Text(f"! {as_typed(event.title)}", style="yellow"), soft_wrap=True)

    @contextmanager
    def running(self) -> Iterator["LiveView"]:
        """Draw while the block runs; the last picture stays visible."""
        self._live.start()
        try:
            yield self
        finally:
            self._watched.end()
            self._live.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Hide the picture while the block runs, so that a person can be asked."""
        self._live.transient = True
        self._live.stop()
        try:
            yield
        except BaseException:
            self._console.line()  # the person left without pressing Enter
            raise
        finally:
            self._live = self._new()
            self._live.start()


def _drafted(line: str) -> Text:
    heading = line.lstrip("#")
    return Text(heading.strip(), style="bold") if heading.startswith(" ") and heading != line else Text(line)
