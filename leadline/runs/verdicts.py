"""The judgements of a run in words: notes on plans, reflections, verdicts on steps, and whether the report answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.planner import Plan
from schemas.reflector import Reflection
from schemas.reporter import Report
from schemas.results import StepResult
from schemas.steering import Steering
from services.reports.labels import counts_of, labels_for
from services.run.ui_text import say


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
