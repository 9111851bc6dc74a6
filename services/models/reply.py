"""The reply to one model call: what was answered, and what it took."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, Field

from schemas.usage import CallUsage
from services.models.prompt_fit import estimate_tokens
from services.run.prices import Price
from services.text.sanitize import sanitize


class ToolCall(BaseModel):
    """A call that a model asks for."""

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    problem: str = ""
    """Why the call cannot be made, where it could not be read."""


class Reply(BaseModel):
    """What came back from one call."""

    text: str
    calls: list[ToolCall] = Field(default_factory=list)
    finish_reason: str = ""
    refusal: str = ""
    model: str = ""
    """Name of the model that answered; `offline` for the offline model."""
    left_out: int = 0
    """Pieces of evidence that did not fit into the prompt."""
    waited: float = 0.0
    """Seconds of it in which the call was not under way: for its turn, and after passing faults."""
    faults: list[str] = Field(default_factory=list)
    """What went wrong before it was answered: `HTTP 429`, or the type of an error."""
    used: CallUsage = CallUsage()
    log_fields: dict[str, object] = Field(default_factory=dict, exclude=True)
    """What log and trace tell of the call: names and numbers. The journal does not keep them."""

    @property
    def cut_off(self) -> bool:
        """Tell whether the answer ended because there was no more room for it."""
        return self.finish_reason in {"length", "max_tokens", "model_length"}


def finish_reason_of(meta: Mapping[str, Any]) -> str:
    """Return why an answer ended, in small letters; each provider names it in its own way."""
    return str(meta.get("finish_reason") or meta.get("stop_reason") or meta.get("done_reason") or "").lower()


def tool_calls_of(message: AIMessage) -> list[ToolCall]:
    """Return the tool calls of a message, those that cannot be read among them."""
    valid = [{"id": call["id"] or "", "name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    broken = [
        {
            "id": call["id"] or "",
            "name": call["name"] or "",
            "problem": f"its arguments are no JSON object: {call['args']!r}"[:300],
        }
        for call in message.invalid_tool_calls
    ]
    return [ToolCall.model_validate(sanitize(call)) for call in [*valid, *broken]]


def usage_of(message: AIMessage, prompt: Sequence[BaseMessage], price: Price | None, seconds: float) -> CallUsage:
    """Take the endpoint's own count; an endpoint that counts nothing is estimated."""
    counted = message.usage_metadata
    read = counted["input_tokens"] if counted else estimate_tokens(prompt)
    wrote = counted["output_tokens"] if counted else estimate_tokens([message])
    cached = (counted.get("input_token_details") or {}).get("cache_read", 0) if counted else 0
    return CallUsage(
        calls=1,
        input_tokens=read,
        output_tokens=wrote,
        cached_tokens=cached or 0,
        seconds=round(seconds, 3),
        cost=price.cost(read, wrote, cached or 0) if price else None,
    )
