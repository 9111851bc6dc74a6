"""The structured tool protocol: how a model without function calling asks for tools, and how it says that it is done."""

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from schemas.answer_schema import Answer, AtMost, Reason


class StructuredCall(BaseModel):
    """One call in an action's content; `tool_name` and other usual words for its parts are understood, too."""

    tool_call_id: str = Field(default="", validation_alias=AliasChoices("tool_call_id", "call_id", "id"))
    """Unique within the answer."""
    name: str = Field(min_length=1, validation_alias=AliasChoices("name", "tool_name", "tool"))
    arguments: dict[str, Any] = Field(
        default_factory=dict,
        validation_alias=AliasChoices("arguments", "tool_arguments", "tool_input", "parameters", "args"),
    )


class CodeBlock(BaseModel):
    """A piece of code that belongs to a result."""

    code: str = Field(validation_alias=AliasChoices("code", "content", "source"))
    description: str = ""
    """What it does; its name where it came by name."""


def _code_blocks(value: Any) -> Any:
    """Read code in any of its forms: texts, objects with `code` and `description`, or an object of code by name."""
    blocks: list[Any] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and not item.keys() & {"code", "content", "source"}:
            blocks += [
                {"description": name, **code} if isinstance(code, dict) else {"code": code, "description": name}
                for name, code in item.items()
            ]
        else:
            blocks.append({"code": item} if isinstance(item, str) else item)
    return blocks


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


class Action(BaseModel):
    """What the model does next: call tools, or hand over its result."""

    type: Literal["tool_call", "complete"]
    content: Annotated[list[Any] | str, BeforeValidator(_as_list)]
    """For `tool_call` an array of at most six calls, for `complete` the result as text, as long as it is."""
    recommended_questions: Annotated[list[Reason], AtMost(5)] = Field(default_factory=list)
    download_links: Annotated[list[Reason], AtMost(20)] = Field(default_factory=list)
    code_blocks: Annotated[list[CodeBlock], BeforeValidator(_code_blocks), AtMost(20)] = Field(
        default_factory=list, description="Texts, or objects with `code` and `description`."
    )


class StructuredAnswer(BaseModel):
    """One whole answer in the structured protocol."""

    task_analysis: Answer = ""
    """The chain of thought: intent, risks of the data, compound instructions."""
    execution_plan: Answer = ""
    """`R1: …; R2: …`, a round each."""
    current_round: int = 1
    action: Action
