"""The view of a run, built from its events: plans with their steps, sources, calls, tokens. Terminal and notebook draw it."""

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
    "some": ("!", "yellow"),
    "none": ("!", "yellow"),
    "empty": ("·", "dim"),
}
"""The mark and the colour of a report, by whether it answers and how many of its statements are quoted or supported."""
MAX_DRAFT = 20_000
"""Characters of a report that is being written, of which its end is kept."""
DRAFT_END = re.compile(r"^={3,}", re.MULTILINE)
"""Where a report ends and the questions to ask next begin."""
CLOSING = frozenset({"triage", "background", "plan", "reflection", "report"})
"""Kinds of events with which a node ends: none of its calls is under way any more."""
StepState = Literal["waiting", "running", "done", "failed", "skipped"]


@dataclass(slots=True)
class StepSeen:
    """A step of a plan, as far as it has come."""

    id: str
    title: str
    kind: str
    """`research` or `processing`."""
    needs: list[str]
    """Ids of the steps that it waits for."""
    state: StepState = "waiting"
    attempt: int = 1
    sources: int = 0
    latest: str = ""
    """Title of the source that came last."""
    excerpts: int | None = None
    """Quotes that it found; None before it has ended."""
    confidence: float | None = None
    error: str = ""


@dataclass(slots=True)
class CallSeen:
    """A model call that takes its time."""

    progress: CallProgress
    """As it was told last."""
    node: str
    step: str
    """Id of the step that it is for; empty where it is for none."""
    told: float = field(default_factory=time.monotonic)
    """When it was."""

    def state(self, locale: str) -> str:
        """Return how it stands now, in words; its seconds count on, or down to when it is made again."""
        passed = time.monotonic() - self.told
        again = self.progress.state == "again"
        seconds = max(0.0, self.progress.seconds - passed) if again else self.progress.seconds + passed
        return call_state(self.progress.model_copy(update={"seconds": seconds}), locale)

    def titled(self, locale: str) -> str:
        """Return what it is for, and how it stands now."""
        task = task_title(self.progress.role, self.step, locale)
        return say("call_progress", locale, task=task, state=self.state(locale))


@dataclass(slots=True)
class PlanSeen:
    """A plan with its steps."""

    title: str
    steps: list[StepSeen]


@dataclass(slots=True)
class Watched:
    """A run, seen from outside; call `see` with each of its events."""

    question: str = ""
    locale: str = "en"
    doing: str = ""
    """Title of the last event: what the run is at."""
    plans: list[PlanSeen] = field(default_factory=list)
    nodes: int = 0
    """Nodes of the outline, as the last reflection saw it."""
    thin: int = 0
    """Those of them that have too little evidence."""
    notices: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    """Titles of the sources that steps have quoted, by address."""
    searched: dict[str, Searched] = field(default_factory=dict)
    """What each search has brought so far, by its name."""
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    """US dollars; None as soon as the price of one call is not known."""
    abandoned: int = 0
    """Requests that were given up, and made again."""
    abandoned_tokens: int = 0
    """About what a provider may charge for them."""
    under_way: dict[tuple[str, str], CallSeen] = field(default_factory=dict)
    """Model calls that take their time, by role and step."""
    draft: str = ""
    """The end of the report as it is being written; empty once it is checked."""
    summary: str = ""
    """What was written, once it is."""
    standing: Standing = "empty"
    """How it stands."""
    ended: bool = False
    """Set by whoever watches: nothing more will come."""
    _started: float = field(default_factory=time.monotonic)
    _seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the watch began; they stand still when it has ended."""
        return time.monotonic() - self._started if self._seconds is None else self._seconds

    def end(self) -> None:
        """Nothing more will come: whatever still ran was stopped."""
        self.ended = True
        self.under_way.clear()
        self.draft = ""
        self._seconds = self.seconds

    def account(self) -> str:
        """Return calls, tokens, sources and time in words."""
        return say(
            "seen_usage",
            self.locale,
            calls=self.calls,
            tokens=f"{self.tokens:,}",
            sources=len(self.sources),
            time=clock(self.seconds),
        )

    def brought(self) -> str:
        """Return in words what each search has brought; empty where none was made."""
        text = searched_text(self.searched.values(), self.locale)
        return say("seen_searched", self.locale, searched=text) if text else ""

    def lost(self) -> str:
        """Return in words what was asked in vain; empty where nothing was."""
        if not self.abandoned:
            return ""
        return say("abandoned", self.locale, calls=self.abandoned, tokens=f"{self.abandoned_tokens:,}")

    def see(self, event: Event) -> None:
        """Take in one event."""
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
        """Return what comes after an event that tells of something that has ended."""
        if event.type == "triage" and event.data.get("intent") in {"in_scope", "edge_case"}:
            return say("doing_background", self.locale)
        if event.type == "background":
            return say("doing_planner", self.locale)
        busy = self.plans and any(step.state in {"waiting", "running"} for step in self.plans[-1].steps)
        if event.type == "step_finished" and not busy:
            return say("doing_reflector", self.locale)
        return event.title

    def of_step(self, step_id: str) -> CallSeen | None:
        """Return the slow model call of a step, the latest one where there are several."""
        calls = [call for call in self.under_way.values() if call.step == step_id]
        return calls[-1] if calls else None

    def of_no_step(self) -> list[CallSeen]:
        """Return the slow model calls that are for no step."""
        return [call for call in self.under_way.values() if not call.step]

    def _call(self, event: Event) -> None:
        """Note how a call stands; why it was made again is remembered until it ends."""
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
        """Return the end of the report as it is being written, without the questions to ask next."""
        end = DRAFT_END.search(self.draft)
        return self.draft[: end.start()] if end else self.draft

    def _close(self, event: Event) -> None:
        """Forget calls that cannot be under way any more: those of a step or a node that has ended."""
        for place, call in list(self.under_way.items()):
            of_step = event.type == "step_finished" and call.step == str(event.data.get("step"))
            if of_step or (event.type in CLOSING and call.node == event.node):
                del self.under_way[place]

    def _take_in(self, event: Event, data: dict[str, Any]) -> None:
        self._close(event)
        match event.type:
            case "background" | "searched" | "round":
                self._searched(data)
            case "steering":
                self.notices.append(event.title)
            case "notice" if event.node != "reporter":
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
                self.standing = standing_told(data)

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
        """Add a plan; one of which no step has begun was edited, and makes room."""
        if self.plans and all(step.state == "waiting" for step in self.plans[-1].steps):
            self.plans.pop()
        steps = [
            StepSeen(
                id=str(step["id"]),
                title=" ".join(str(step["title"]).split()),
                kind=str(step["step_type"]),
                needs=[str(needed) for needed in step.get("depends_on", [])],
            )
            for step in data["steps"]
        ]
        self.plans.append(PlanSeen(" ".join(str(data.get("title", "")).split()), steps))

    def _found(self, step_id: object) -> StepSeen | None:
        return next((step for plan in reversed(self.plans) for step in plan.steps if step.id == str(step_id)), None)

    def _step(self, data: dict[str, Any], **changes: Any) -> None:
        step = self._found(data.get("step"))
        if step is not None:
            for name, value in changes.items():
                setattr(step, name, value)

    def _source(self, event: Event) -> None:
        title = str(event.data.get("title") or event.title)
        self.sources[str(event.data.get("url") or title)] = title
        step = self._found(event.data.get("step"))
        if step is not None:
            step.sources += 1
            step.latest = title


def outline_line(node: Mapping[str, Any], locale: str) -> str:
    """Return what a node of the outline has, in words."""
    key = "outline_node_thin" if node.get("thin") else "outline_node"
    told = {name: node.get(name, "") for name in ("id", "title", "excerpts", "sources")}
    return say(key, locale, **told)


def call_place(data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the role and the step of a call."""
    return str(data.get("role", "")), str(data.get("step") or "")


def standing_told(data: Mapping[str, Any]) -> Standing:
    """Return how a report stands, by what its event says; events of earlier versions do not say whether it answers."""
    return standing(int(data.get("claims", 0)), int(data.get("sure", 0)), data.get("answered", ""))


def clock(seconds: float) -> str:
    """Return seconds as `0:07`, `12:34` or `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
