"""The structured tool protocol: how a model without function calling asks for tools, and how it says that it is done."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class StructuredCall(BaseModel):
    """One call in an action's content."""

    tool_call_id: str = ""
    """Unique within the answer."""
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Action(BaseModel):
    """What the model does next: call tools, or hand over its result."""

    type: Literal["tool_call", "complete"]
    content: list[Any] | str
    """For `tool_call` an array of at most six calls, for `complete` the result as text."""
    recommended_questions: list[str] = Field(default_factory=list)
    download_links: list[str] = Field(default_factory=list)
    code_blocks: list[str] = Field(default_factory=list)


class StructuredAnswer(BaseModel):
    """One whole answer in the structured protocol."""

    task_analysis: str = ""
    """The chain of thought: intent, risks of the data, compound instructions."""
    execution_plan: str = ""
    """`R1: …; R2: …`, a round each."""
    current_round: int = 1
    action: Action
