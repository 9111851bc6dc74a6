"""The state of a run, built from its events: plans with steps, sources, calls, tokens. Terminal and notebook draw it."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from schemas.events import CallProgress, Event, Searched
from schemas.evidence import Standing, standing
from services.run.ui_text import call_state, say, searched_text, task_title

MARKS_OF_REPORTS: dict[Standing, tuple[str, str]] = {
    "all": ("✓", "green"),
    "sound": ("·", ""),
    "some": ("!", "yellow"),
    "none": ("!", "yellow"),
    "empty": ("·", "dim"),
}
"""Mark and colour of a report, by whether it answers and by the share of its quoted or supported statements."""
MAX_DRAFT = 20_000
"""Characters kept of the end of a report being written."""
DRAFT_END = re.compile(r"^={3,}", re.MULTILINE)
"""The line between a report and the follow-up questions."""
CLOSING = frozenset({"triage", "background", "plan", "reflection", "report"})
"""Kinds of events that end a node: none of its calls is active any more."""
StepState = Literal["waiting", "running", "done", "failed", "skipped"]


@dataclass(slots=True)
class StepSeen:
    """State of a step of a plan."""

    id: str
    title: str
    needs: list[str]
    """Ids of the steps that it depends on."""
    state: StepState = "waiting"
    attempt: int = 1
    sources: int = 0
    latest: str = ""
    """Title of the latest source."""
    excerpts: int | None = None
    """Number of its quotes; None before it has ended."""
    confidence: float | None = None
    error: str = ""


@dataclass(slots=True)
class CallSeen:
    """A slow model call."""

    progress: CallProgress
    """Latest reported progress."""
    node: str
    step: str
    """Id of its step; empty without a step."""
    reported_at: float = field(default_factory=time.monotonic)
    """Time of the latest report."""

    def state(self, locale: str) -> str:
        """Return its current state in words; the seconds count up, or down to a repetition."""
        passed = time.monotonic() - self.reported_at
        again = self.progress.state == "again"
        seconds = max(0.0, self.progress.seconds - passed) if again else self.progress.seconds + passed
        return call_state(self.progress.model_copy(update={"seconds": seconds}), locale)

    def titled(self, locale: str) -> str:
        """Return its purpose and current state."""
        task = task_title(self.progress.role, self.step, locale)
        return say("call_progress", locale, task=task, state=self.state(locale))


@dataclass(slots=True)
class PlanSeen:
    """A plan with its steps."""

    title: str
    steps: list[StepSeen]


@dataclass(slots=True)
class Watched:
    """The state of a run; call `see` with each event."""

    locale: str = "en"
    doing: str = ""
    """Title of the last event: the current activity."""
    plans: list[PlanSeen] = field(default_factory=list)
    nodes: int = 0
    """Number of outline nodes in the last reflection."""
    thin: int = 0
    """Number of these nodes with too little evidence."""
    notices: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    """Titles of sources that steps quoted, by address."""
    report_sources: int | None = None
    """Number of sources of the finished report, which also has those of the background and of earlier turns."""
    searched: dict[str, Searched] = field(default_factory=dict)
    """Results of each search so far, by name."""
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    """US dollars; None if the price of a call is unknown."""
    abandoned: int = 0
    """Number of abandoned and repeated requests."""
    abandoned_tokens: int = 0
    """Approximate tokens that a provider may charge for them."""
    under_way: dict[tuple[str, str], CallSeen] = field(default_factory=dict)
    """Slow model calls, by role and step."""
    draft: str = ""
    """End of the report being written; empty once it is checked."""
    summary: str = ""
    """Summary of the finished report."""
    standing: Standing = "empty"
    """Standing of the finished report."""
    ended: bool = False
    """Set by the watcher: no further events will come."""
    _started: float = field(default_factory=time.monotonic)
    _seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the watch began, until its end."""
        return time.monotonic() - self._started if self._seconds is None else self._seconds

    def end(self) -> None:
        """Mark the end: all active calls were stopped."""
        self.ended = True
        self.under_way.clear()
        self.draft = ""
        self._seconds = self.seconds

    def account(self) -> str:
        """Return calls, tokens, sources and time in words; empty if it ended without a call and without a report."""
        if self.ended and not (self.calls or self.summary):
            return ""
        return say(
            "seen_usage" if self.tokens else "seen_usage_free",
            self.locale,
            calls=self.calls,
            tokens=f"{self.tokens:,}",
            sources=len(self.sources) if self.report_sources is None else self.report_sources,
            time=clock(self.seconds),
        )

    def brought(self) -> str:
        """Return the results of each search in words; empty without searches."""
        text = searched_text(self.searched.values(), self.locale)
        return say("seen_searched", self.locale, searched=text) if text else ""

    def lost(self) -> str:
        """Return the failed searches in words; empty if there are none."""
        if not self.abandoned:
            return ""
        return say("abandoned", self.locale, calls=self.abandoned, tokens=f"{self.abandoned_tokens:,}")

    def see(self, event: Event) -> None:
        """Take an event."""
        data = event.data
        match event.type:
            case "call":
                self._count(data)
                self.under_way.pop(call_place(data), None)
                return
            case "call_progress":
                self._call(event)
                return
            case "draft":
                self._write(data)
                return
            case "estimate":
                self.notices += [event.title] if data["told"] else []
                return
        self._take_in(event, data)
        self.doing = self._next(event)

    def _next(self, event: Event) -> str:
        """Return the activity that follows an event about an end."""
        if event.type == "triage" and event.data.get("intent") in {"in_scope", "edge_case"}:
            return say("doing_background", self.locale)
        if event.type == "background":
            return say("doing_planner", self.locale)
        busy = self.plans and any(step.state in {"waiting", "running"} for step in self.plans[-1].steps)
        if event.type == "step_finished" and not busy:
            return say("doing_reflector", self.locale)
        return event.title

    def detail(self, step: StepSeen) -> str:
        """Return what a step waits for, does, has found, or failed with."""
        match step.state:
            case "waiting":
                return say("seen_waits", self.locale, steps=", ".join(step.needs)) if step.needs else ""
            case "running":
                reading = say("seen_reading", self.locale, count=step.sources, title=" ".join(step.latest.split()))
                calls = [call.state(self.locale) for call in self.under_way.values() if call.step == step.id]
                parts = [*calls[-1:], *([reading] if step.sources else [])]
            case "done" if step.excerpts is not None:
                sure = round((step.confidence or 0) * 100)
                key = "seen_quotes" if sure else "seen_unjudged"
                parts = [say(key, self.locale, count=step.excerpts, confidence=sure)]
            case _:
                parts = [" ".join(step.error.split())]
        again = say("seen_redone", self.locale, attempt=step.attempt) if step.attempt > 1 else ""
        return ", ".join(filter(None, [again, *parts]))

    def of_no_step(self) -> list[CallSeen]:
        """Return the slow model calls without a step."""
        return [call for call in self.under_way.values() if not call.step]

    def _call(self, event: Event) -> None:
        """Record the state of a call; the reason of a repetition is kept until its end."""
        place = call_place(event.data)
        progress = CallProgress.model_validate(event.data)
        before = self.under_way.pop(place, None)
        if before is not None and not progress.reason:
            progress = progress.model_copy(update={"reason": before.progress.reason})
        self.under_way[place] = CallSeen(progress, event.node, place[1])

    def _write(self, data: dict[str, Any]) -> None:
        before = "" if data.get("begins") else self.draft
        self.draft = (before + str(data.get("text", "")))[-MAX_DRAFT:]

    def written(self) -> str:
        """Return the end of the report being written, without the follow-up questions."""
        end = DRAFT_END.search(self.draft)
        return self.draft[: end.start()] if end else self.draft

    def _close(self, event: Event) -> None:
        """Remove calls that cannot be active any more: those of a finished step or node."""
        for place, call in list(self.under_way.items()):
            of_step = event.type in {"step_finished", "round"} and call.step == str(event.data.get("step"))
            if of_step or (event.type in CLOSING and call.node == event.node):
                del self.under_way[place]

    def _take_in(self, event: Event, data: dict[str, Any]) -> None:
        self._close(event)
        match event.type:
            case "background" | "searched" | "round":
                self._searched(data)
            case "steering":
                self.notices.append(event.title)
            case "notice" if event.node != "reporter" and "run_id" not in data:
                self.notices.append(event.title)
            case "triage":
                self.locale = str(data.get("locale") or self.locale)
            case "plan" if data.get("steps"):
                self._plan(data)
            case "reflection":
                outline = data.get("outline") or []
                self.nodes, self.thin = len(outline), sum(bool(node.get("thin")) for node in outline)
            case "step_started":
                self._step(data, state="running", attempt=int(data.get("attempt", 1)))
            case "source":
                self._source(event)
            case "step_finished":
                self._step(
                    data,
                    state=data.get("status", "done"),
                    excerpts=data.get("excerpts"),
                    confidence=data.get("confidence"),
                    error=str(data.get("error", "")),
                )
            case "report":
                self.draft = ""
                self.summary = event.title
                self.report_sources = data.get("sources")
                self.standing = standing_of(data)

    def _searched(self, data: dict[str, Any]) -> None:
        for search in map(Searched.model_validate, data.get("searched") or []):
            before = self.searched.get(search.name)
            self.searched[search.name] = before.and_also(search) if before else search

    def _count(self, used: dict[str, Any]) -> None:
        self.calls += int(used.get("calls", 0))
        self.tokens += int(used.get("input_tokens", 0)) + int(used.get("output_tokens", 0))
        self.abandoned += int(used.get("abandoned", 0))
        self.abandoned_tokens += int(used.get("abandoned_tokens", 0))
        cost = used.get("cost")
        self.cost = None if cost is None or self.cost is None else self.cost + float(cost)

    def _plan(self, data: dict[str, Any]) -> None:
        """Add a plan; it replaces an edited plan without started steps."""
        if self.plans and all(step.state == "waiting" for step in self.plans[-1].steps):
            self.plans.pop()
        steps = [
            StepSeen(
                id=str(step["id"]),
                title=" ".join(str(step["title"]).split()),
                needs=[str(needed) for needed in step.get("depends_on", [])],
            )
            for step in data["steps"]
        ]
        self.plans.append(PlanSeen(" ".join(str(data.get("title", "")).split()), steps))

    def _step_of(self, step_id: object) -> StepSeen | None:
        return next((step for plan in reversed(self.plans) for step in plan.steps if step.id == str(step_id)), None)

    def _step(self, data: dict[str, Any], **changes: Any) -> None:
        step = self._step_of(data.get("step"))
        if step is not None:
            for name, value in changes.items():
                setattr(step, name, value)

    def _source(self, event: Event) -> None:
        title = str(event.data.get("title") or event.title)
        self.sources[str(event.data.get("url") or title)] = title
        step = self._step_of(event.data.get("step"))
        if step is not None:
            step.sources += 1
            step.latest = title


def outline_line(node: Mapping[str, Any], locale: str) -> str:
    """Return a description of an outline node's evidence."""
    key = "outline_node_thin" if node.get("thin") else "outline_node"
    defaults = {"id": "", "title": "", "excerpts": 0, "sources": 0}
    return say(key, locale, **{name: node.get(name, empty) for name, empty in defaults.items()})


def call_place(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the role and step of a call."""
    return str(data.get("role", "")), str(data.get("step") or "")


def standing_of(data: Mapping[str, Any]) -> Standing:
    """Return a report's standing from its event; events of earlier versions lack whether it answers its question."""
    inferred = data.get("statuses", {}).get("inferred", 0)
    return standing(data.get("claims", 0), data.get("sure", 0), data.get("answered", ""), inferred)


def clock(seconds: float) -> str:
    """Format seconds as `0:07`, `12:34` or `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
