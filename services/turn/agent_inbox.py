"""Plan reviews for chat clients: LangChain's Agent Inbox and Agent Chat, in both of their protocols.

Such a client builds its form from fields of the interrupt and answers in its own format. The older form
(`action_request`, `config`, `description`) is answered with `[{"type": …, "args": …}]`, the newer one
(`action_requests`, `review_configs`) with `{"decisions": [{"type": …}]}`. The plan is shown as YAML in one editable
field.
"""

from collections.abc import Mapping
from typing import Any

import yaml
from langchain_core.messages import AIMessage

from schemas.planner import Plan, PlanError

PLANNER = "planner"
"""Name of the messages that show a plan."""

MAX_PLAN = 50_000
"""Maximum characters of a plan that a person edited; parsing YAML takes a second for 100,000."""
_SHOWN = {"id", "title", "description", "step_type", "queries", "depends_on", "tools"}


def inbox_request(plan: Plan, title: str, description: str) -> dict[str, Any]:
    """Return the interrupt fields with which chat clients show a form for the plan."""
    shown = {
        "title": plan.title,
        "steps": [step.model_dump(include=_SHOWN, exclude_defaults=True) for step in plan.steps],
    }
    arguments = {"plan": yaml.safe_dump(shown, allow_unicode=True, sort_keys=False, width=100).rstrip()}
    return {
        "action_request": {"action": title, "args": arguments},
        "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": False},
        "description": description,
        "action_requests": [{"name": title, "args": arguments, "description": description}],
        "review_configs": [{"action_name": title, "allowed_decisions": ["approve", "edit", "reject"]}],
    }


def plan_message(plan: Plan, turn: int, number: int, request: str = "") -> AIMessage:
    """Return the plan as a message of the thread, because chat clients show a question only below an answer.

    All versions of a plan have the same id, so that a changed or accepted plan replaces the former one.
    """
    return AIMessage(
        "\n\n".join([plan._repr_markdown_(), *([request] if request else [])]), name=PLANNER, id=f"plan-{turn}-{number}"
    )


def from_inbox(answer: object, plan: Plan | None) -> object:
    """Convert a chat client's answer to a plan review; answers in other forms are returned unchanged.

    Raises:
        PlanError: the edited plan cannot be read; the message says where.
    """
    if isinstance(answer, Mapping) and isinstance(answer.get("decisions"), list) and len(answer["decisions"]) == 1:
        return from_inbox(answer["decisions"][0], plan)
    kind = answer.get("type") if isinstance(answer, Mapping) else None
    if not isinstance(answer, Mapping) or not isinstance(kind, str):
        return answer
    if kind in {"accept", "approve"}:
        return {"action": "accept"}
    if kind in {"response", "reject"}:
        return {"action": "edit", "feedback": answer.get("args") or answer.get("message") or ""}
    if kind == "edit":
        return _edited(answer.get("edited_action") or answer.get("args"), plan)
    return answer


def _edited(action: object, plan: Plan | None) -> dict[str, Any]:
    arguments = action.get("args") if isinstance(action, Mapping) else None
    written = arguments.get("plan") if isinstance(arguments, Mapping) else None
    if isinstance(written, str):
        if len(written) > MAX_PLAN:
            raise PlanError("review_plan_long", most=f"{MAX_PLAN:,}")
        try:
            # The base loader returns only strings, lists and mappings: a query `1875` or `yes` stays a text.
            written = yaml.load(written, yaml.BaseLoader)  # noqa: S506 - see above
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line, fault = mark.line + 1 if mark else 1, getattr(error, "problem", None) or error
            raise PlanError("review_plan_no_yaml", line=line, fault=fault) from None
        except RecursionError:
            raise PlanError("review_plan_nested") from None
    if not isinstance(written, Mapping):
        raise PlanError("review_no_plan")
    hidden = plan.model_dump(include={"locale", "thought", "outline"}) if plan else {}
    before = {step.id: step.model_dump(exclude=_SHOWN) for step in plan.steps} if plan else {}
    steps = written.get("steps")
    if isinstance(steps, list):
        steps = [_step(step, place, before) for place, step in enumerate(steps, 1)]
    return {"action": "replace", "plan": {**hidden, **written, "steps": steps}}


def _step(written: object, place: int, before: dict[str, dict[str, Any]]) -> object:
    """Complete a step that a person wrote: id and description are optional."""
    if not isinstance(written, Mapping):
        return written
    named = str(written.get("id") or f"new {place}")
    described = written.get("description") or written.get("title", "")
    return {**before.get(named, {}), **written, "id": named, "description": described}
