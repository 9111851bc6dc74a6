"""What the reflections of a run said, in words: their reasoning, and each verdict on a step with its reason."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.reflector import Reflection
from schemas.results import StepResult
from services.run.ui_text import say


def verdict_lines(values: Mapping[str, Any], locale: str) -> list[str]:
    """Return a line for each reflection, in order, and one for each verdict on a step.

    Args:
        values: of the run's state.
        locale: language of the lines.
    """
    reflections: Sequence[Reflection] = values.get("reflections") or []
    results: Mapping[str, StepResult] = values.get("results") or {}
    lines = [
        say(
            "show_reflection",
            locale,
            plan=reflection.plan_iteration,
            enough=say("show_enough" if reflection.has_enough_context else "show_gaps", locale),
            reasoning=_one_line(reflection.reasoning),
        )
        for reflection in reflections
    ]
    for step in sorted(results, key=int):
        for verdict in results[step].reflections:
            key = "show_redo" if verdict.redo else "show_accepted"
            said = " ".join(dict.fromkeys(filter(None, map(_one_line, (verdict.reason, verdict.feedback)))))
            lines.append(say(key, locale, step=step, attempt=verdict.attempt, reason=said or "-"))
    return lines


def _one_line(text: str) -> str:
    return " ".join(text.split())
