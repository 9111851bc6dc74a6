"""The reply to one model call: answer, reasoning, usage and faults."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, Field

from schemas.usage import CallUsage
from services.models.prompt_fit import estimate_tokens
from services.models.reasoning_tags import REASONING, split_thinking
from services.models.structured_output import answer_text
from services.run.prices import Price
from services.run.secrecy import without_secrets, without_secrets_in
from services.text.sanitize import sanitize

LONGEST_REASONING = 20_000
"""Maximum characters of reasoning to keep, from its end, where the model reaches its answer."""
_CALLS = {"tool_calls", "function_call"}
"""Keys of calls as they came, which go back as `tool_calls` of the message."""
REPEATED = "repetition"
"""Finish reason of an answer that was stopped because it repeated itself."""
_FENCE = re.compile(r"^(?:`{3,}|~{3,})[ \t]*(\w*)[^\n]*$", re.MULTILINE)
_TITLE = re.compile(r"^# \S", re.MULTILINE)
_RULE = re.compile(r"^(?:-{3,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE)
_CITED = re.compile(r"\[E\d|^#|^\||^[-*] |^[`~]{3}|^={3}", re.MULTILINE)
"""What belongs to an answer: a citation, a heading, a table, a list, a block of code, the line before its further questions."""


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
    reasoning: str = ""
    """What the model thought before it answered, where the endpoint shows that. It goes into no prompt and no report."""
    tagged: bool = Field(default=False, exclude=True)
    """Whether the reasoning stood between tags amid the text."""
    asked_because: str = ""
    """Why the call was made again: `cut_off`, `repeated`, `empty`, or `unusable: …`; empty for a first call."""
    requests: int = 1
    """Requests that went out for it."""
    calls: list[ToolCall] = Field(default_factory=list)
    passed_back: dict[str, Any] = Field(default_factory=dict)
    """Content in parts and further fields of a message that calls tools: the provider wants them back with it."""
    finish_reason: str = ""
    refusal: str = ""
    model: str = ""
    """Name of the model that answered; `offline` for the offline model."""
    left_out: int = 0
    """Pieces of evidence that did not fit into the prompt."""
    limited: bool = False
    """Whether that was for a limit of the run, rather than for the model's context."""
    waited: float = 0.0
    """Seconds of it in which the call was not under way: for its turn, and after passing faults."""
    faults: list[str] = Field(default_factory=list)
    """What went wrong before it was answered: `HTTP 429`, or the type of an error."""
    used: CallUsage = CallUsage()
    log_fields: dict[str, object] = Field(default_factory=dict, exclude=True)
    """What the log tells of the call: names and numbers. The journal does not keep them."""

    @property
    def cut_off(self) -> bool:
        """Tell whether the answer ended at the token limit."""
        return self.finish_reason in {"length", "max_tokens", "model_length", REPEATED}


@dataclass(frozen=True, slots=True)
class Repeat:
    """Reason and form of a repeated call; the defaults describe a first call."""

    because: str = ""
    """Fault of the previous answer: `cut_off`, `repeated`, `empty`, or `unusable: …`."""
    room: int = 1
    """Factor on the maximum number of output tokens."""
    varied: bool = False
    """Whether to try another temperature and a lower output limit, after an answer that repeated itself."""


FIRST = Repeat()


def reply_in(message: AIMessage, *, structured: bool, with_tools: bool) -> Reply:
    """Read a model's message; an answer of a schema, where it is to be `structured`, is also found in the reasoning alone."""
    whole = answer_text(message) if structured else message.text
    is_object = whole.lstrip().startswith("{")  # its texts may hold marks
    answer, tagged = (whole, "") if is_object else split_thinking(whole)
    apart = str(message.additional_kwargs.get(REASONING) or "") or _reasoning_blocks(message)
    reasoning = (apart or tagged)[-LONGEST_REASONING:]
    finish_reason = _finish_reason(message.response_metadata)
    if structured and not answer and finish_reason == "stop":
        answer = _last_object(reasoning)
    return Reply(
        text=sanitize(without_secrets(answer if structured else _without_wrapping(answer))),
        reasoning=sanitize(without_secrets(reasoning)),
        tagged=bool(tagged),
        calls=_tool_calls(message) if with_tools else [],
        passed_back=_passed_back(message) if with_tools and message.tool_calls else {},
        finish_reason=finish_reason,
        refusal=sanitize(without_secrets(str(message.additional_kwargs.get("refusal") or ""))),
    )


def _without_wrapping(text: str) -> str:
    """Return an answer without a fence of Markdown around it, and without what is before its title, after its last rule, or said at the end.

    What is around it cites nothing, and has neither headings, lists nor tables; else it stays. A last paragraph is said to the user
    where words to the user are before the title, too, or where it is no statement.
    """
    text = _out_of_fence(text)
    title = _TITLE.search(text)
    spoken = title is not None and bool(text[: title.start()].strip()) and not _CITED.search(text[: title.start()])
    if title is not None and spoken:
        text = text[title.start() :]
    *_, last = [None, *_RULE.finditer(text)]
    if last is not None and text[: last.start()].strip() and not _CITED.search(text[last.end() :]):
        text = text[: last.start()]
    before, _, end = text.rstrip().rpartition("\n\n")
    above = before.rpartition("\n\n")[2]
    if (spoken or end.endswith(("!", "?", "！", "？"))) and "[E" in above and not _CITED.search(end):
        text = before
    return text.strip()


def _out_of_fence(text: str) -> str:
    fences = list(_FENCE.finditer(text))
    if not fences or fences[0][1].lower() not in {"", "markdown", "md"}:
        return text
    first, last = fences[0], fences[-1] if len(fences) % 2 == 0 else None
    end, after = (last.start(), text[last.end() :]) if last else (len(text), "")
    inside, around = text[first.end() : end], f"{text[: first.start()]}\n{after}"
    is_answer = bool(first[1]) or "[E" in inside
    return inside if not around.strip() or (is_answer and not _CITED.search(around)) else text


def _reasoning_blocks(message: AIMessage) -> str:
    blocks = message.content if isinstance(message.content, list) else []
    texts = [
        block.get("thinking") or block.get("reasoning") or ""
        for block in blocks
        if isinstance(block, dict) and block.get("type") in {"thinking", "reasoning"}
    ]
    return "\n".join(text for text in texts if isinstance(text, str))


def _last_object(text: str) -> str:
    """Return the last JSON object of a text, from brace to brace; empty if the text has none."""
    depth, start, last, inside, escaped = 0, 0, "", False, False
    for place, char in enumerate(text):
        if inside:
            inside = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"' and depth:
            inside = True
        elif char == "{":
            start = start if depth else place
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            last = text[start : place + 1] if not depth else last
    return last


def _finish_reason(meta: Mapping[str, Any]) -> str:
    """Return the finish reason in lower case; each provider stores it under another name."""
    reason = meta.get("finish_reason") or meta.get("stop_reason") or meta.get("done_reason") or ""
    return without_secrets(str(reason)).lower()


def _tool_calls(message: AIMessage) -> list[ToolCall]:
    """Return the tool calls of a message, including those that cannot be parsed."""
    valid = [{"id": call["id"] or "", "name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    broken = [
        {
            "id": call["id"] or "",
            "name": call["name"] or "",
            "problem": without_secrets(f"its arguments are not a JSON object: {call['args']!r}")[:300],
        }
        for call in message.invalid_tool_calls
    ]
    return [ToolCall.model_validate(sanitize(without_secrets_in(call))) for call in [*valid, *broken]]


def _passed_back(message: AIMessage) -> dict[str, Any]:
    """Return what the provider's integration keeps of a message that calls tools, beside its text and its calls."""
    content = {"content": message.content} if isinstance(message.content, list) else {}
    beside = {name: value for name, value in message.additional_kwargs.items() if value and name not in _CALLS}
    extras = {"additional_kwargs": beside, **content}
    return cast("dict[str, Any]", sanitize(without_secrets_in(extras)))


def usage_of(message: AIMessage, prompt: Sequence[BaseMessage], price: Price | None, seconds: float) -> CallUsage:
    """Return the endpoint's token counts, or an estimate if it reports none."""
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
