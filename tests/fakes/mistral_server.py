"""A loopback server that speaks Mistral's chat completions: streams, tools, usage, and its errors. It thinks with the offline model."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.rendered_prompts import answer_rendered
from tests.fakes.http import Reply, Request, serving
from tests.fakes.openai_server import SCHEMAS


@dataclass(slots=True)
class MistralServer:
    """What was asked, and what to answer."""

    base_url: str = ""
    key: str = "test-key"
    model: str = "mistral-small-latest"
    """The only one that there is."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    script: list[Reply | dict[str, Any]] = field(default_factory=list)
    """Answers that come before the model's own: messages, or a whole reply."""
    counted: list[tuple[int, int]] = field(default_factory=list)
    """Tokens in and out of each answer."""

    def answer(self, request: Request) -> Reply:
        """Answer as the original does."""
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return Reply(401, {"detail": "Unauthorized"})
        if request.path != "/chat/completions":
            return Reply(404, {"message": "no Route matched with those values"})
        body = request.body
        self.requests.append(body)
        if body["model"] != self.model:
            said = {"object": "error", "message": f"Invalid model: {body['model']}", "type": "invalid_model"}
            return Reply(400, {**said, "param": None, "code": "1500"})
        scripted = self.script.pop(0) if self.script else None
        if isinstance(scripted, Reply):
            return scripted
        message = scripted if scripted is not None else _think(body)
        counted = len(json.dumps(body)) // 4, len(json.dumps(message)) // 4 + 1
        self.counted.append(counted)
        usage = {"prompt_tokens": counted[0], "completion_tokens": counted[1], "total_tokens": sum(counted)}
        about = {"id": "cmpl-1", "created": 1, "model": body["model"]}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return Reply(body={**about, "object": "chat.completion", "choices": [choice], "usage": usage})
        text = message.get("content", "")
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": text[start : start + 40]} for start in range(0, len(text), 40)]
        ends: list[dict[str, Any]] = [{"delta": delta, "finish_reason": None} for delta in deltas]
        last = {"content": "", **({"tool_calls": message["tool_calls"]} if message.get("tool_calls") else {})}
        ends.append({"delta": last, "finish_reason": finish})
        events = [{**about, "object": "chat.completion.chunk", "choices": [{"index": 0, **one}]} for one in ends]
        events[-1]["usage"] = usage
        return Reply(events=events)


def _think(body: dict[str, Any]) -> dict[str, Any]:
    """Answer a prompt of ours as the offline model does, by a call of the tool that stands for the schema if there is one."""
    human = next(message["content"] for message in body["messages"] if message["role"] == "user")
    chosen = body.get("tool_choice")
    name = chosen["function"]["name"] if isinstance(chosen, dict) else ""
    thought = answer_rendered(SCHEMAS.get(name, "reporter"), human)
    if not name:
        return {"role": "assistant", "content": thought}
    call = {"id": "call00001", "index": 0, "function": {"name": name, "arguments": thought}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


@contextmanager
def mistral_server() -> Iterator[MistralServer]:
    """Serve until the block ends."""
    server = MistralServer()
    with serving(server.answer) as address:
        server.base_url = address
        yield server
