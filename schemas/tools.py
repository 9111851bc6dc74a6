"""The structured tool protocol: how a model without function calling asks for tools, and how it says that it is done."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from schemas.answer_schema import Answer


class StructuredCall(BaseModel):
    """One call in an action's content; `tool_name` and other usual words for its parts are understood, too."""

    name: str = Field(min_length=1, validation_alias=AliasChoices("name", "tool_name", "tool"))
    arguments: dict[str, Any] = Field(
        default_factory=dict,
        validation_alias=AliasChoices("arguments", "tool_arguments", "tool_input", "parameters", "args"),
    )


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


class Action(BaseModel):
    """What the model does next: call tools, or hand over its result."""

    type: Literal["tool_call", "complete"]
    content: Annotated[list[Any] | str, BeforeValidator(_as_list)]
    """For `tool_call` an array of at most six calls, for `complete` the result as text, as long as it is."""


class StructuredAnswer(BaseModel):
    """One whole answer in the structured protocol."""

    task_analysis: Answer = ""
    """The chain of thought: intent, risks of the data, compound instructions."""
    action: Action
