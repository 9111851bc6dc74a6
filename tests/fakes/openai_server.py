"""A loopback server that speaks OpenAI's chat completions: JSON schema, streaming, usage, and its errors.

By default it thinks with the offline model: the real client sends real prompts and gets answers that fit. Scripted
answers for a role come first, one a call.
"""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import HumanMessage

from prompts import ENVIRONMENT
from services.models.offline import ROLES, OfflineModel
from tests.fakes.http import Reply, Request, serving

SCHEMAS = {
    "Triage": "coordinator",
    "Plan": "planner",
    "Findings": "researcher",
    "Code": "coder",
    "Reflection": "reflector",
}


@dataclass(slots=True)
class OpenAIServer:
    """What was asked, and what to answer."""

    base_url: str = ""
    key: str = "test-key"
    requests: list[dict[str, Any]] = field(default_factory=list)
    roles: list[str] = field(default_factory=list)
    script: dict[str, list[Reply | str]] = field(default_factory=dict)
    """Answers by role: text for the message's content, or a whole reply."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, request: Request) -> Reply:
        """Answer as the original does."""
        if request.headers.get("Authorization") != f"Bearer {self.key}":
            return _error(401, "Incorrect API key provided.", "invalid_api_key")
        if request.path != "/v1/chat/completions":
            return _error(404, f"Unknown request URL: POST {request.path}.", "unknown_url")
        body = request.body
        schema = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        role = SCHEMAS.get(schema, "reporter")
        with self._lock:
            self.requests.append(body)
            self.roles.append(role)
            scripted = self.script[role].pop(0) if self.script.get(role) else None
        if isinstance(scripted, Reply):
            return scripted
        return completion(body, scripted if scripted is not None else _think(role, body))


def _think(role: str, body: dict[str, Any]) -> str:
    human = next(message["content"] for message in body["messages"] if message["role"] == "user")
    assert role in ROLES
    assert f"{role}.md" in ENVIRONMENT.list_templates()
    return OfflineModel(role=role).invoke([HumanMessage(human)]).text


def completion(body: dict[str, Any], text: str, finish_reason: str = "stop") -> Reply:
    """Return a completed answer in the form that was asked for."""
    about = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    if not body.get("stream"):
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": None}
        return Reply(body={**about, "object": "chat.completion", "choices": [choice], "usage": usage})
    pieces = re.findall(r"\S+\s*|\s+", text)
    chunk = {**about, "object": "chat.completion.chunk"}
    events = [
        {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}]}
        for piece in pieces
    ]
    events.append({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
    if body.get("stream_options", {}).get("include_usage"):
        events.append({**chunk, "choices": [], "usage": usage})
    return Reply(events=events)


def _error(status: int, message: str, code: str) -> Reply:
    return Reply(status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}})


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    """Serve until the block ends."""
    server = OpenAIServer()
    with serving(server.answer) as address:
        server.base_url = f"{address}/v1"
        yield server
