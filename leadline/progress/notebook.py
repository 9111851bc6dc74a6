"""A run's progress in a notebook: one output that is drawn anew with every event.

from leadline import Progress, aresearch

report = await aresearch("…", on_event=Progress())
"""

from html import escape
from typing import Any

from leadline.progress.run_view import MARKS_OF_REPORTS, PlanSeen, Watched
from schemas.events import Event
from schemas.evidence import Standing
from services.run.ui_text import say

MARKS = {"waiting": "·", "running": "…", "done": "✓", "failed": "✗", "skipped": "–"}
COLOURS = {"waiting": "#888", "running": "#06c", "done": "#080", "failed": "#c00", "skipped": "#a60"}
DRAFT_SHOWN = 4_000
"""Characters shown at the end of a report being written."""
REPORT_COLOURS: dict[Standing, str] = {
    "all": "#080",
    "sound": "inherit",
    "some": "#a60",
    "none": "#a60",
    "empty": "#888",
}
"""Colour of a report, by the share of its quoted or supported statements."""


class Progress:
    """Watches a run. Displays itself as HTML or in plain words; with IPython it keeps its display up to date.

    Runs in threads of their own may call it, too: IPython sends what is displayed from any thread.
    """

    def __init__(self) -> None:
        """Start without events; the display begins with the first event."""
        self.watched = Watched()
        self._display: Any = None

    def __call__(self, event: Event) -> None:
        """Take an event and update the display."""
        self.watched.see(event)
        if event.type == "report":
            self.watched.end()
        if self._display is not None:
            self._display.update(self)
        elif _in_notebook():
            from IPython.display import display

            self._display = display(self, display_id=True)  # type: ignore[no-untyped-call]  # IPython has no types here

    def _repr_html_(self) -> str:
        seen = self.watched
        notices = "".join(f'<div style="color:#a60">! {escape(notice)}</div>' for notice in seen.notices)
        plans = "".join(self._plan_html(number, plan) for number, plan in enumerate(seen.plans, 1))
        colour = f' style="color:{REPORT_COLOURS[seen.standing]}"' if seen.summary else ""
        doing = f"<div{colour}>{escape(self._doing())}</div>"
        draft = f'<div style="white-space:pre-wrap">{escape(self._draft())}</div>' if self._draft() else ""
        return f"<div>{notices}{plans}{draft}{doing}<small>{escape(' · '.join(self._account()))}</small></div>"

    def _plan_html(self, number: int, plan: PlanSeen) -> str:
        title = say("seen_plan", self.watched.locale, number=number, title=plan.title)
        steps = "".join(
            f'<li style="list-style:none"><span style="color:{COLOURS[step.state]}">{MARKS[step.state]}</span> '
            f"{escape(step.id)} {escape(step.title)} <small>{escape(self.watched.detail(step))}</small></li>"
            for step in plan.steps
        )
        return f"<strong>{escape(title)}</strong><ul>{steps}</ul>"

    def __str__(self) -> str:
        seen = self.watched
        lines = [f"! {notice}" for notice in seen.notices]
        for number, plan in enumerate(seen.plans, 1):
            lines.append(say("seen_plan", seen.locale, number=number, title=plan.title))
            for step in plan.steps:
                detail = seen.detail(step)
                lines.append(f"  - {MARKS[step.state]} {step.id} {step.title}{f' ({detail})' if detail else ''}")
        draft = [self._draft()] if self._draft() else []
        return "\n".join([*lines, *draft, self._doing(), *self._account()])

    def _doing(self) -> str:
        """Return the finished report with its mark, or the current activity with its slow calls."""
        seen = self.watched
        if seen.summary:
            return f"{MARKS_OF_REPORTS[seen.standing][0]} {seen.summary}"
        return " · ".join([seen.doing, *(call.titled(seen.locale) for call in seen.of_no_step())])

    def _account(self) -> list[str]:
        return [line for line in (self.watched.account(), self.watched.brought(), self.watched.lost()) if line]

    def _draft(self) -> str:
        return self.watched.written()[-DRAFT_SHOWN:].strip()

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(str(self))


def _in_notebook() -> bool:
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None
