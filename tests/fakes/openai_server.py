"""A loopback server that speaks OpenAI's chat completions: JSON schema, tools, streaming, usage, and its errors.

By default it thinks with the offline model: the real client sends real prompts and gets answers that fit. Scripted
answers for a role come first, one a call. It can be as limited as real endpoints are: without JSON schema, without tools,
with a short context.
"""

import re
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.rendered_prompts import ROLES, answer_rendered
from prompts import ENVIRONMENT
from tests.fakes.http import FarEnd, Reply, Request, served

SCHEMAS = {
    "Triage": "coordinator",
    "Plan": "planner",
    "Findings": "researcher",
    "Code": "coder",
    "Reflection": "reflector",
    "Joining": "reporter_joining",
    "Editing": "reporter_editing",
    "Revising": "reporter_editing",
    "PassageSentences": "reporter_sentences",
    "Slides": "reporter_slides",
    "Verification": "verifier",
}
ADVICE = {"max_tokens": " Use 'max_completion_tokens' instead."}
"""What OpenAI says beside the refusal of a parameter."""


Scripted = Reply | str | Callable[[dict[str, Any]], str]
"""What a role answers: a whole reply, text for the message's content, or what makes that text of the request."""


@dataclass(slots=True)
class OpenAIServer(FarEnd):
    """What was asked, and what to answer."""

    key: str = "test-key"
    models: list[str] = field(default_factory=list)
    """Those that it lists; without any it has no such list."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    script: dict[str, list[Scripted]] = field(default_factory=dict)
    """Answers by role: text for the message's content, or a whole reply; or what makes a text of the request."""
    choose: Callable[[dict[str, Any]], Reply | str | None] | None = None
    """Likewise, by request: the same one always gets the same answer."""
    refuses: set[str] = field(default_factory=set)
    """Parameters that it does not take: `response_format`, `tools`, `temperature`, …"""
    only_streams: bool = False
    """Whether it refuses requests for a whole answer."""
    context: int | None = None
    """Maximum tokens of prompt and answer together."""
    counted: list[tuple[int, int]] = field(default_factory=list)
    """Tokens in and out of each completed call."""
    ports: set[int] = field(default_factory=set)
    """Of the clients' connections."""
    most_at_once: int = 0
    on_request: Callable[[int], None] | None = None
    """Called with the number of each request before it is answered."""
    fault: Callable[[int, str, dict[str, Any]], Reply | str | None] | None = None
    """Asked with number, role and body of each request for what goes wrong with it; None lets it be answered."""
    _under_way: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def asked(self, role: str) -> list[str]:
        """Return the human messages that a role was sent."""
        return [body["messages"][-1]["content"] for body in self.requests if role_of(body) == role]

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return error(401, "Incorrect API key provided.", "invalid_api_key")
        if request.path == "/v1/models" and self.models:
            listed = [{"id": name, "object": "model", "created": 1, "owned_by": "test"} for name in self.models]
            return Reply(200, {"object": "list", "data": listed})
        if request.path != "/v1/chat/completions":
            return error(404, f"Unknown request URL: POST {request.path}.", "unknown_url")
        body = request.body
        role = role_of(body)
        with self._lock:
            self.requests.append(body)
            self.roles.append(role)
            self.ports.add(request.port)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            number = len(self.requests)
        if self.on_request is not None:
            self.on_request(number)
        wrong = self.fault(number, role, body) if self.fault is not None else None
        reply = self._reply(body, role) if wrong is None else as_reply(body, wrong)
        self.over.wait(reply.stall)
        with self._lock:
            self._under_way -= 1
        return reply

    def _reply(self, body: dict[str, Any], role: str) -> Reply:
        for name in sorted(self.refuses & body.keys()):
            said = f"Unsupported parameter: '{name}' is not supported with this model.{ADVICE.get(name, '')}"
            return error(400, said, "unsupported_parameter", name)
        if self.only_streams and not body.get("stream"):
            return error(400, "Only streaming is supported: set stream to true.", "invalid_request", "stream")
        reading = tokens_in(body)
        if self.context is not None and reading + (body.get("max_tokens") or 0) > self.context:
            return error(
                400,
                f"This model's maximum context length is {self.context} tokens. However, your messages resulted in "
                f"{reading} tokens.",
                "context_length_exceeded",
                "messages",
            )
        with self._lock:
            scripted = self.script[role].pop(0) if self.script.get(role) else None
        if callable(scripted):
            scripted = scripted(body)
        if scripted is None and self.choose is not None:
            scripted = self.choose(body)
        reply = as_reply(body, scripted if scripted is not None else think(role, body))
        usage = _usage_of(reply)
        if usage is not None and reply.cut_after is None and not reply.stall:
            with self._lock:
                self.counted.append((usage["prompt_tokens"], usage["completion_tokens"]))
        return reply


def role_of(body: dict[str, Any]) -> str:
    """Tell which role asks: by the name of the schema, wherever it stands, or by the loop of tool calls; else it is the reporter."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
    tools = [one["function"]["name"] for one in body.get("tools", [])]
    if not schema and len(tools) == 1:
        schema = tools[0]
    system = body["messages"][0]["content"] if body["messages"] else ""
    titles = re.findall(r'"title":"(\w+)"', system[system.rfind("JSON schema") :])
    if "You do one processing step of a research plan with tools" in system:
        return "coder"
    if "You do one step of a research plan with tools" in system:
        return "researcher"
    if system.startswith("You write one section of a long report"):
        return "reporter_section"
    if system.startswith("You are the last editor of a report"):
        return "reporter_wording"
    written = next((title for title in reversed(titles) if title in SCHEMAS), "")
    return SCHEMAS.get(schema or written, "reporter")


def tokens_in(body: dict[str, Any]) -> int:
    """Count a prompt's tokens roughly as a tokenizer would."""
    text = "".join(str(message.get("content") or "") for message in body["messages"])
    return len(re.findall(r"[\u4e00-\u9fff]|\w{1,6}|[^\w\s]", text))


def as_reply(body: dict[str, Any], answer: Reply | str) -> Reply:
    """Return an answer as it goes out: a text as a completion, in the form that was asked for."""
    if isinstance(answer, Reply):
        return answer
    return completion(body, answer, as_call=isinstance(body.get("tool_choice"), dict))


def think(role: str, body: dict[str, Any]) -> str:
    """Answer a prompt of ours as the offline model does."""
    human = next(message["content"] for message in body["messages"] if message["role"] == "user")
    assert role in ROLES
    assert f"{role}.md" in ENVIRONMENT.list_templates()
    return answer_rendered(role, human)


def completion(
    body: dict[str, Any],
    text: str,
    finish_reason: str = "stop",
    *,
    as_call: bool = False,
    calls: list[tuple[str, str]] | None = None,
    refusal: str | None = None,
    cached: int = 0,
) -> Reply:
    """Return a completed answer in the form that was asked for.

    Args:
        body: the request.
        text: the message's content, or a call's arguments.
        finish_reason: why it ended.
        as_call: give the text as the arguments of a call of the first tool.
        calls: name and arguments of tool calls.
        refusal: the model's refusal.
        cached: tokens of the prompt that came from the cache.
    """
    about = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
    wrote = max(1, len(re.findall(r"[\u4e00-\u9fff]|\w{1,6}|[^\w\s]", text)))
    read = tokens_in(body)
    usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
    if cached:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    made = calls or ([(body["tools"][0]["function"]["name"], text)] if as_call else [])
    tool_calls = [
        {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(made, 1)
    ]
    if tool_calls and finish_reason == "stop":
        finish_reason = "tool_calls"
    content = None if as_call else text
    if not body.get("stream"):
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": refusal}
        if tool_calls:
            message["tool_calls"] = tool_calls
        choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
        return Reply(body={**about, "object": "chat.completion", "choices": [choice], "usage": usage})
    chunk = {**about, "object": "chat.completion.chunk"}
    deltas: list[dict[str, Any]] = [
        {"role": "assistant", "content": piece} for piece in re.findall(r"\S+\s*|\s+", content or "")
    ]
    deltas += [{"tool_calls": [{"index": place, **one}]} for place, one in enumerate(tool_calls)]
    deltas += [{"refusal": refusal}] if refusal else []
    events = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
    if body.get("stream_options", {}).get("include_usage"):
        events.append({**chunk, "choices": [], "usage": usage})
    return Reply(events=events)


def _usage_of(reply: Reply) -> dict[str, int] | None:
    whole = reply.events[-1] if reply.events else reply.body
    return whole.get("usage") if isinstance(whole, dict) else None


def error(status: int, message: str, code: str, param: str | None = None, **headers: str) -> Reply:
    about = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Reply(status, {"error": about}, headers={name.replace("_", "-"): value for name, value in headers.items()})


def openai_server() -> AbstractContextManager[OpenAIServer]:
    return served(OpenAIServer(), "/v1")
