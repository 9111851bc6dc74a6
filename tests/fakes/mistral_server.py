"""A loopback server that speaks Mistral's chat completions: streams, tools, usage, and its errors. It thinks with the offline model."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from benchmarks.rendered_prompts import answer_rendered
from tests.fakes.http import Reply, Request, served
from tests.fakes.openai_server import SCHEMAS
from tests.fakes.provider import Provider, pieces


@dataclass(slots=True)
class MistralServer(Provider):
    """What was asked, and what to answer."""

    model: str = "mistral-small-latest"

    def answer(self, request: Request) -> Reply:
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return Reply(401, {"detail": "Unauthorized"})
        if request.path != "/chat/completions":
            return Reply(404, {"message": "no Route matched with those values"})
        body = request.body
        self.requests.append(body)
        if body["model"] != self.model:
            said = {"object": "error", "message": f"Invalid model: {body['model']}", "type": "invalid_model"}
            return Reply(400, {**said, "param": None, "code": "1500"})
        message, counted = self.said(body, _think)
        if isinstance(message, Reply):
            return message
        usage = {"prompt_tokens": counted[0], "completion_tokens": counted[1], "total_tokens": sum(counted)}
        about = {"id": "cmpl-1", "created": 1, "model": body["model"]}
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": finish}
            return Reply(body={**about, "object": "chat.completion", "choices": [choice], "usage": usage})
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in pieces(message.get("content", ""))]
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


def mistral_server() -> AbstractContextManager[MistralServer]:
    return served(MistralServer())
