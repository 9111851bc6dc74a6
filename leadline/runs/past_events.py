"""The events of a stored run before its interruption, from its state: a watcher gets them again."""

from collections.abc import Iterator
from typing import Any

from schemas.events import Event
from schemas.planner import Plan
from schemas.results import StepResult
from schemas.steering import Steering
from schemas.usage import Usage
from services.run.ui_text import say
from services.turn.steering import steering_title
from services.turn.steps import step_summary


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
