"""The structured tool protocol: JSON actions by which a model without function calling asks for tools, and says that it is done."""

import re
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from schemas.answer_schema import Answer
from services.models.reply import ToolCall
from services.models.structured_output import fitted, parse, repaired
from services.text.sanitize import sanitize


def _loaded(arguments: Any) -> Any:
    try:
        return repaired(arguments) if isinstance(arguments, str) and arguments.strip() else arguments or {}
    except (ValueError, RecursionError):
        return arguments


class StructuredCall(BaseModel):
    """One call in an action's content; `tool_name` and other usual words for its parts are understood, too."""

    name: str = Field(min_length=1, validation_alias=AliasChoices("name", "tool_name", "tool"))
    arguments: Annotated[dict[str, Any], BeforeValidator(_loaded)] = Field(
        default_factory=dict,
        validation_alias=AliasChoices("arguments", "tool_arguments", "tool_input", "parameters", "args"),
    )


class Action(BaseModel):
    """What the model does next: call tools, or hand over its result."""

    type: Literal["tool_call", "complete"]
    content: Annotated[list[Any] | str, BeforeValidator(lambda value: [value] if isinstance(value, dict) else value)]
    """For `tool_call` an array of at most six calls, for `complete` the result as text, as long as it is."""


class StructuredAnswer(BaseModel):
    """One whole answer in the structured protocol."""

    task_analysis: Answer = ""
    """The chain of thought: intent, risks of the data, compound instructions."""
    action: Action


_FENCE = re.compile(r"```([A-Za-z_]*+)(.*?)```", re.DOTALL)
_LABELS = {"", "json", "tool", "tool_call", "tool_calls"}
"""Languages of fenced blocks that may hold calls; blocks of other languages are code."""
_NO_CALL = "the call cannot be read: it is not a JSON object with a name and arguments"
_SHOWN = 300
"""Characters that are stored of an unreadable call."""


def read_structured(text: str) -> tuple[str, StructuredAnswer]:
    """Parse an answer of the structured protocol: a whole object, or fenced JSON blocks that each hold calls.

    If at least one block can be read, an unreadable block becomes an unreadable call with its own answer.

    Returns:
        The text before the JSON, and the answer.

    Raises:
        ValueError: the text has neither form; the message says what is wrong.
    """
    items = [item for block in _blocks(text) for item in _items(block)]
    actions = [item for item in items if isinstance(item, dict) and "action" in item]
    calls = [item for item in items if item not in actions]
    if not actions and any(map(_call_of, calls)):
        before = text.partition("```")[0].strip() if "```" in text else ""
        return before, StructuredAnswer.model_validate({"action": {"type": "tool_call", "content": calls}})
    answer = StructuredAnswer.model_validate(
        fitted(actions[0], StructuredAnswer) if actions else parse(text, StructuredAnswer)
    )
    if answer.action.type == "tool_call" and actions and calls:
        content = answer.action.content
        content = [*(content if isinstance(content, list) else _items(content)), *calls]
        answer = answer.model_copy(update={"action": answer.action.model_copy(update={"content": content})})
    return answer.task_analysis, answer


def _blocks(text: str) -> list[str]:
    """Return the parts of a text that may hold calls: its fenced blocks, or the whole text if it is bare JSON."""
    fenced = [(label.lower(), body.strip()) for label, body in _FENCE.findall(text)]
    blocks = [body for label, body in fenced if label in _LABELS and (label or body.startswith(("{", "[")))]
    return blocks or ([text] if text.lstrip().startswith(("{", "[")) else [])


def _items(block: str) -> list[Any]:
    try:
        loaded = sanitize(repaired(block))
    except (ValueError, RecursionError):
        return [block[:_SHOWN]]
    items = loaded if isinstance(loaded, list) else [loaded]
    return [item if isinstance(item, dict) else block[:_SHOWN] for item in items] or [block[:_SHOWN]]


def _call_of(item: Any) -> StructuredCall | None:
    if not isinstance(item, dict):
        return None
    inner = item.get("function")
    item = {**item, **inner} if isinstance(inner, dict) else item
    try:
        return StructuredCall.model_validate({name: value for name, value in item.items() if value is not None})
    except ValidationError:
        return None


def calls_of(answer: StructuredAnswer, number: int) -> list[ToolCall]:
    """Parse an action's calls; an unreadable call gets the reason."""
    content = answer.action.content
    items = content if isinstance(content, list) else _items(content)
    calls = []
    for place, call in enumerate(map(_call_of, items), 1):
        read = {"name": "", "problem": _NO_CALL} if call is None else call.model_dump()
        calls.append(ToolCall(id=f"r{number}-{place}", **read))
    return calls


def with_arguments(answer: StructuredAnswer, calls: list[ToolCall]) -> str:
    """Return an answer with replaced arguments, as the model will see it from now on."""
    content = [{"name": call.name, "arguments": call.arguments} for call in calls]
    action = answer.action.model_copy(update={"content": content})
    return answer.model_copy(update={"action": action}).model_dump_json(exclude_defaults=True)
