"""A loopback server that speaks Anthropic's Messages API: tools, usage, and its errors. It thinks with the offline model."""

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from benchmarks.rendered_prompts import answer_rendered
from tests.fakes.http import Reply, Request, served
from tests.fakes.openai_server import SCHEMAS
from tests.fakes.provider import Provider, pieces


@dataclass(slots=True)
class AnthropicServer(Provider):
    """What was asked, and what to answer."""

    model: str = "claude-sonnet-4-6"

    def answer(self, request: Request) -> Reply:
        given = request.headers.get("X-Api-Key") or request.headers.get("Authorization", "").removeprefix("Bearer ")
        if given != self.key:
            return failure(401, "authentication_error", "invalid x-api-key")
        if request.path.partition("?")[0] != "/v1/messages":
            return failure(404, "not_found_error", f"no such path: {request.path}")
        body = request.body
        self.requests.append(body)
        if body["model"] != self.model:
            return failure(404, "not_found_error", f"model: {body['model']}")
        content, (read, wrote) = self.said(body, _think)
        if isinstance(content, Reply):
            return content
        usage = {"input_tokens": read, "output_tokens": wrote}
        called = any(block["type"] == "tool_use" for block in content)
        about = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
        reason = "tool_use" if called else "end_turn"
        if body.get("stream"):
            return Reply(events=_events(about, content, reason, usage), named=True)
        return Reply(body={**about, "content": content, "stop_reason": reason, "usage": usage})


def failure(status: int, kind: str, message: str) -> Reply:
    return Reply(status, {"type": "error", "error": {"type": kind, "message": message}})


def _events(about: dict[str, Any], content: list[dict[str, Any]], reason: str, usage: dict[str, int]) -> list[Any]:
    begun = {**about, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[Any] = [{"type": "message_start", "message": begun}]
    for place, block in enumerate(content):
        if block["type"] == "thinking":
            events += _thought(place, block)
            continue
        text = block["type"] == "text"
        empty = {**block, "text": ""} if text else {**block, "input": {}}
        whole = block["text"] if text else json.dumps(block["input"])
        kind, key = ("text_delta", "text") if text else ("input_json_delta", "partial_json")
        events.append({"type": "content_block_start", "index": place, "content_block": empty})
        events += [
            {"type": "content_block_delta", "index": place, "delta": {"type": kind, key: piece}}
            for piece in pieces(whole)
        ]
        events.append({"type": "content_block_stop", "index": place})
    events.append({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage})
    return [*events, {"type": "message_stop"}]


def _thought(place: int, block: dict[str, Any]) -> list[Any]:
    about = {"type": "content_block_delta", "index": place}
    return [
        {"type": "content_block_start", "index": place, "content_block": {**block, "thinking": "", "signature": ""}},
        {**about, "delta": {"type": "thinking_delta", "thinking": block["thinking"]}},
        {**about, "delta": {"type": "signature_delta", "signature": block["signature"]}},
        {"type": "content_block_stop", "index": place},
    ]


def _think(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Answer a prompt of ours as the offline model does, by a call of the tool that stands for the schema if there is one."""
    human = next(message["content"] for message in body["messages"] if message["role"] == "user")
    text = human if isinstance(human, str) else "".join(block.get("text", "") for block in human)
    name = (body.get("tool_choice") or {}).get("name", "")
    role = SCHEMAS.get(name, "reporter")
    thought = answer_rendered(role, text)
    if name:
        return [{"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(thought)}]
    return [{"type": "text", "text": thought}]


def anthropic_server() -> AbstractContextManager[AnthropicServer]:
    return served(AnthropicServer())
