"""Reading the structured tool protocol: JSON actions of models without function calling."""

import re
from typing import Any

from pydantic import ValidationError

from schemas.tools import StructuredAnswer, StructuredCall
from services.models.reply import ToolCall
from services.models.structured_output import explain, parse, repaired

_FENCE = re.compile(r"```(?:json)?+\s*+(.*?)```", re.DOTALL)


def read_structured(text: str) -> tuple[str, StructuredAnswer]:
    """Read an answer of the structured protocol: the whole object, or fenced JSON blocks that each hold a call.

    Returns:
        The text before the JSON, and the answer.

    Raises:
        ValueError: it is neither; the message says what is wrong.
    """
    blocks = [repaired(block) for block in _FENCE.findall(text)]
    calls = [item for block in blocks for item in (block if isinstance(block, list) else [block]) if _is_call(item)]
    action_block = next((block for block in blocks if isinstance(block, dict) and "action" in block), None)
    if calls and action_block is None:
        before = text.partition("```")[0].strip()
        return before, StructuredAnswer.model_validate({"action": {"type": "tool_call", "content": calls}})
    answer = StructuredAnswer.model_validate(
        action_block if action_block is not None else parse(text, StructuredAnswer)
    )
    return answer.task_analysis, answer


def _is_call(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and "name" in item
        and isinstance(item.get("arguments", {}), dict)
        and "action" not in item
    )


def calls_of(answer: StructuredAnswer, number: int) -> list[ToolCall]:
    """Read an action's calls; each gets an id of its own, and one that cannot be read says why.

    Args:
        answer: whose action is a tool call.
        number: of the round.
    """
    content = answer.action.content
    items = content if isinstance(content, list) else [repaired(content)]
    calls: list[ToolCall] = []
    for place, item in enumerate(items, 1):
        own = f"r{number}-{place}"
        try:
            call = StructuredCall.model_validate(item)
        except ValidationError as error:
            calls.append(ToolCall(id=own, name="", problem=f"the call cannot be read: {explain(error)}"))
            continue
        taken = {call.id for call in calls}
        calls.append(
            ToolCall(
                id=call.tool_call_id if call.tool_call_id and call.tool_call_id not in taken else own,
                name=call.name,
                arguments=call.arguments,
            )
        )
    return calls


def with_arguments(answer: StructuredAnswer, calls: list[ToolCall]) -> str:
    """Write an answer again with other arguments, as the model is to see it from now on."""
    content = [{"tool_call_id": call.id, "name": call.name, "arguments": call.arguments} for call in calls]
    action = answer.action.model_copy(update={"content": content})
    return answer.model_copy(update={"action": action}).model_dump_json(exclude_defaults=True)
