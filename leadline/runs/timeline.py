"""What a stored run did: the calls with their times, from its journal, and its events, from its state."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from schemas.events import Event
from schemas.planner import Plan
from schemas.results import StepResult
from schemas.steering import Steering
from schemas.usage import Usage
from services.run.journal import Entry
from services.run.log import INSTANT
from services.run.ui_text import named, reason_text, say
from services.turn.steering import steering_title
from services.turn.steps import step_summary

_WIDTH = 40
"""Characters of a bar in a terminal."""
_NAME = 60
"""Maximum characters of a name in a terminal."""
_REASON = 500
"""Maximum characters of the reason of a refused answer."""
_TOUCH = 0.002
"""Tolerance of clocks in seconds: a call that starts so much before another's end may have waited for it."""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One call of a run."""

    kind: str
    name: str
    place: str
    """Step of the graph, node, and step of the plan: `4:researcher:1`."""
    start: float
    """Seconds since the first call began."""
    seconds: float
    failed: str = ""
    """Type of the error that ended the call."""
    waited: float = 0.0
    """Seconds of waiting for a slot, or after a passing fault."""
    faults: tuple[str, ...] = ()
    """Passing faults after which it was repeated: `HTTP 429`, `unreached`, …"""
    asked_because: str = ""
    """Reason of a repeated model call: the fault of the previous answer; empty for a first call."""
    abandoned: int = 0
    """Requests that were abandoned before an answer."""
    abandoned_tokens: int = 0
    """Approximate tokens that a provider may charge for them."""
    tokens: tuple[int, int] = (0, 0)
    """Input and output tokens."""
    cached: int = 0
    """Input tokens from the endpoint's cache."""
    cost: float | None = 0.0
    """US dollars; None if the price is unknown."""
    reused: int = 0
    """Number of times that a resumed run took the answer from the journal."""
    inside: bool = False
    """True for a part of another call: a search or page of a gathering, a request of a tool."""

    @property
    def end(self) -> float:
        """Seconds since the first call began."""
        return self.start + self.seconds

    @property
    def where(self) -> str:
        """Node and step, for people."""
        return " ".join(self.place.split(":")[1:])

    @property
    def title(self) -> str:
        """The request on one line; empty if the kind says it all."""
        return "" if self.name == self.kind else " ".join(self.name.split())

    def notes(self, locale: str) -> list[str]:
        """Return notes on the call besides its time."""
        notes = [say("show_failed", locale, error=self.failed)] if self.failed else []
        if self.asked_because:
            notes.append(say("show_asked_because", locale, reason=reason_text(self.asked_because, locale)))
        if self.faults:
            faults = [reason_text(fault, locale) for fault in self.faults]
            notes.append(say("show_retried", locale, faults=", ".join(faults)))
        if self.abandoned:
            notes.append(say("abandoned", locale, calls=self.abandoned, tokens=f"{self.abandoned_tokens:,}"))
        if self.waited >= 0.01:
            notes.append(say("show_waited", locale, seconds=f"{self.waited:.2f}"))
        if any(self.tokens):
            notes.append(say("show_tokens", locale, read=f"{self.tokens[0]:,}", wrote=f"{self.tokens[1]:,}"))
        if self.cached:
            notes.append(say("show_cached", locale, tokens=f"{self.cached:,}"))
        if self.cost:
            notes.append(f"${self.cost:.4f}")
        if self.reused:
            notes.append(say("show_reused", locale))
        return notes


@dataclass(frozen=True, slots=True)
class Timeline:
    """The calls of a run in order of their start."""

    spans: list[TimedCall]
    locale: str = "en-US"
    """Locale of the labels."""

    @classmethod
    def of(cls, entries: Iterable[Entry], locale: str = "en-US") -> "Timeline":
        """Read the calls of a journal."""
        timed = [(datetime.fromisoformat(entry.at).timestamp() - entry.seconds, entry) for entry in entries if entry.at]
        calls = [(start, entry) for start, entry in timed if entry.kind not in INSTANT]
        first = min((start for start, _ in calls), default=0.0)
        spans = sorted(
            (_span(start - first, entry) for start, entry in calls), key=lambda span: (span.start, span.place)
        )
        spans = [replace(span, inside=_is_inside(span, spans)) for span in spans]
        return cls(spans, locale)

    @property
    def seconds(self) -> float:
        """Seconds from the first call's start to the last call's end."""
        return max((span.end for span in self.spans), default=0.0)

    def lines(self) -> list[str]:
        """Return the timeline for a terminal: a line with a bar per call, and sums."""
        whole = self.seconds or 1.0
        head = say("show_head", self.locale).split("|")
        lines = [f"{head[0]:>7} {head[1]:>7}  {'':{_WIDTH}}  {'  '.join(head[2:4])}"]
        for span in self.spans:
            deeper = "  " if span.inside else ""
            notes = "".join(f"  [{note}]" for note in span.notes(self.locale))
            lines.append(
                f"{span.start:7.2f} {span.seconds:7.2f}  {_bar(span, whole)}  {span.where}  {deeper}{self.called(span.kind)}  "
                f"{span.title[:_NAME]}{notes}"
            )
        return [*lines, "", self.sums()]

    def sums(self) -> str:
        """Return time, calls, tokens, cost and waiting in one line."""
        kinds = " · ".join(f"{self.called(kind)} {calls} ({seconds:.2f} s)" for kind, calls, seconds in self.by_kind())
        read, wrote = (sum(span.tokens[side] for span in self.spans) for side in (0, 1))
        parts = [say("show_whole", self.locale, seconds=f"{self.seconds:.2f}"), kinds]
        if read:
            parts.append(say("show_tokens", self.locale, read=f"{read:,}", wrote=f"{wrote:,}"))
        costs = [span.cost for span in self.spans if not span.inside]
        if any(costs):
            unknown = "+ ?" if None in costs else ""
            parts.append(f"${sum(cost or 0.0 for cost in costs):.4f}{unknown}")
        tried, waited = sum(len(span.faults) for span in self.spans), sum(span.waited for span in self.spans)
        if tried or waited >= 0.01:
            parts.append(say("show_waits", self.locale, tried=tried, seconds=f"{waited:.2f}"))
        return " · ".join(part for part in parts if part)

    def called(self, kind: str) -> str:
        """Return the name of a kind of calls in the run's language."""
        return named("show_kinds", kind, self.locale)

    def by_kind(self) -> list[tuple[str, int, float]]:
        """Return (kind, calls, seconds) for each kind, longest first."""
        kinds = dict.fromkeys(span.kind for span in self.spans)
        sums = [(kind, [span.seconds for span in self.spans if span.kind == kind]) for kind in kinds]
        return sorted(((kind, len(taken), round(sum(taken), 3)) for kind, taken in sums), key=lambda row: -row[2])


def _span(start: float, entry: Entry) -> TimedCall:
    answer: Mapping[str, Any] = entry.answer or {}
    faults = tuple(answer.get("faults") or ())
    used = answer.get("used") or (answer.get("usage") or {}).get("total") or {}
    return TimedCall(
        "rules" if entry.kind == "model" and entry.answer and not used.get("input_tokens") else entry.kind,
        entry.name,
        entry.place,
        round(start, 3),
        entry.seconds,
        entry.error[0] if entry.error else "",
        waited=answer.get("waited") or 0.0,
        faults=faults,
        asked_because=" ".join(str(answer.get("asked_because") or "").split())[:_REASON],
        abandoned=used.get("abandoned") or 0,
        abandoned_tokens=used.get("abandoned_tokens") or 0,
        tokens=(used.get("input_tokens", 0), used.get("output_tokens", 0)),
        cached=used.get("cached_tokens", 0),
        cost=used.get("cost", 0.0),
        reused=entry.reused,
    )


def _is_inside(span: TimedCall, spans: Sequence[TimedCall]) -> bool:
    """Tell whether a call is part of another call of the same node."""
    return any(
        other is not span
        and other.place == span.place
        and other.kind in {"gather", "tool"}
        and other.kind != span.kind
        and other.start <= span.start + _TOUCH
        and span.end <= other.end + _TOUCH
        for other in spans
    )


def _bar(span: TimedCall, whole: float) -> str:
    """Draw a call in a line of `_WIDTH` characters; its waiting time is light."""
    before = min(_WIDTH - 1, int(span.start / whole * _WIDTH))
    length = max(1, min(_WIDTH - before, round(span.seconds / whole * _WIDTH)))
    light = min(length, round(span.waited / (span.seconds or 1.0) * length))
    return f"{' ' * before}{'░' * light}{'█' * (length - light)}".ljust(_WIDTH)


def replayed_events(values: dict[str, Any]) -> Iterator[Event]:
    """Yield a run's events so far from its state: plans, messages, finished steps, and usage of calls."""
    locale = values.get("locale") or "en"
    usage: Usage | None = values.get("usage")
    if usage is not None and (usage.total.tokens or usage.total.abandoned):
        title = say("calls_used", locale, calls=usage.total.calls, tokens=f"{usage.total.tokens:,}")
        yield Event(type="call", node="", title=title, data={"role": "", **usage.total.model_dump(mode="json")})
    plans: list[Plan] = values.get("plans") or []
    results: dict[str, StepResult] = values.get("results") or {}
    heard: list[Steering] = values.get("steering") or []
    for number, plan in enumerate([None, *plans]):
        yield from _plan_events(plan, results, locale)
        for message in heard:
            if message.plan == number:
                data = message.model_dump(mode="json")
                yield Event(type="steering", node="", title=steering_title(message, locale), data=data)


def _plan_events(plan: Plan | None, results: dict[str, StepResult], locale: str) -> Iterator[Event]:
    """Yield the events of a plan and its steps."""
    if plan is not None:
        if plan.steps:
            title = say("plan", locale, title=plan.title)
            yield Event(type="plan", node="planner", title=title, data=plan.model_dump(mode="json"))
        for step in plan.steps:
            if step.id in results:
                yield _ended(results[step.id], locale)


def _ended(result: StepResult, locale: str) -> Event:
    values, data = step_summary(result)
    title = say(f"step_{result.status}", locale, **values)
    return Event(type="step_finished", node="", title=title, data=data)
