"""What a stored run's state tells: its events before an interruption, which a watcher gets again, and its judgements in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schemas.events import Event
from schemas.planner import Plan
from schemas.reflector import Reflection
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.steering import Steering
from schemas.usage import Usage
from services.reports.labels import counts_of, labels_for
from services.run.ui_text import say
from services.turn.steering import steering_title
from services.turn.steps import step_summary


def replayed_events(values: dict[str, Any]) -> Iterator[Event]:
    """Yield a run's events so far from its state: plans, messages, finished steps, and usage of calls."""
    locale = values.get("locale") or "en"
    usage: Usage | None = values.get("usage")
    if usage is not None:
        title = f"{usage.total.calls} calls: {usage.total.tokens:,} tokens"
        yield Event(type="call", node="", title=title, data={"role": "", **usage.total.model_dump(mode="json")})
    plans: list[Plan] = values.get("plans") or []
    results: dict[str, StepResult] = values.get("results") or {}
    heard: list[Steering] = values.get("steering") or []
    for number, plan in enumerate([None, *plans]):
        yield from _told(plan, results, locale)
        for message in heard:
            if message.plan == number:
                data = message.model_dump(mode="json")
                yield Event(type="steering", node="", title=steering_title(message, locale), data=data)


def _told(plan: Plan | None, results: dict[str, StepResult], locale: str) -> Iterator[Event]:
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


def verdict_lines(values: Mapping[str, Any], locale: str) -> list[str]:
    """Return lines for plan notes, steering messages, reflections and step verdicts, in order, and for the report's standing.

    Args:
        values: values of the run's state.
        locale: language of the lines.
    """
    reflections: Sequence[Reflection] = values.get("reflections") or []
    results: Mapping[str, StepResult] = values.get("results") or {}
    plans: Sequence[Plan] = values.get("plans") or []
    lines = [
        say("show_plan_note", locale, plan=number, note=note)
        for number, plan in enumerate(plans, 1)
        for note in plan.notes
    ]
    heard: Sequence[Steering] = values.get("steering") or []
    lines += [say("show_steering", locale, plan=message.plan, text=_line(message.text)) for message in heard]
    lines += [
        say(
            "show_reflection",
            locale,
            plan=reflection.plan_iteration,
            enough=say("show_enough" if reflection.has_enough_context else "show_gaps", locale),
            reasoning=_line(reflection.reasoning),
        )
        for reflection in reflections
    ]
    for step in sorted(results, key=int):
        for verdict in results[step].reflections:
            key = "show_redo" if verdict.redo else "show_accepted"
            said = " ".join(dict.fromkeys(filter(None, map(_line, (verdict.reason, verdict.feedback)))))
            lines.append(say(key, locale, step=step, attempt=verdict.attempt, reason=said or "-"))
    report: Report | None = values.get("report")
    if report is not None and not report.direct:
        lines.append(counts_of(report.citations, report.answered, labels_for(locale)).shown)
    return list(filter(None, lines))


def _line(text: str) -> str:
    return " ".join(text.split())
