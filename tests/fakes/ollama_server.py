"""A loopback server that speaks Ollama's API: streams of JSON lines, JSON schemas, tools, and what it says of itself and its models.

Behind `/v1` it speaks OpenAI's protocol, too, as the original does: with nothing that sets a context. It thinks with the offline
model.
"""

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.rendered_prompts import answer_rendered
from tests.fakes.http import Reply, Request, served
from tests.fakes.openai_server import SCHEMAS, as_reply, error, role_of, think
from tests.fakes.provider import Provider, pieces

TELLING = {"intent": "Triage", "covered_aspects": "Reflection", "steps": "Plan", "finding": "Findings", "code": "Code"}
"""Names of our schemas, which come without them, by a field that those before it have not."""


@dataclass(slots=True)
class OllamaServer(Provider):
    """What was asked, and what to answer."""

    model: str = "qwen3:8b"
    key: str = ""
    """Wanted by a proxy before it; Ollama itself wants none."""
    context_length: int = 40_960
    """Of the model, in tokens."""
    parameters: str = ""
    """Of the model's file, such as `num_ctx 8192`."""
    capabilities: tuple[str, ...] = ("completion", "tools")
    takes_schemas: bool = True
    compatible: list[dict[str, Any]] = field(default_factory=list)
    """Of OpenAI's protocol, behind `/v1`."""
    about: list[str] = field(default_factory=list)
    """Paths of requests that ask about server and models."""

    def answer(self, request: Request) -> Reply:
        body = request.body
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            return Reply(401, {"error": "unauthorized"})
        if request.path == "/v1/chat/completions":
            return self._compatible(body)
        if request.path != "/api/chat":
            self.about.append(request.path)
            return self._about(request.path, body)
        self.requests.append(body)
        if body["model"] != self.model:
            return Reply(404, {"error": f"model '{body['model']}' not found"})
        if body.get("format") and not self.takes_schemas:
            return Reply(400, {"error": "format is not supported by this model"})
        message, counted = self.said(body, _think)
        if isinstance(message, Reply):
            return message
        about = {"model": body["model"], "created_at": "2026-01-01T00:00:00Z"}
        cut = [{**message, "content": piece} for piece in pieces(message.get("content", "")) or [""]]
        usage = {"prompt_eval_count": counted[0], "eval_count": counted[1], "total_duration": 1, "eval_duration": 1}
        end = {**about, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", **usage}
        return Reply(lines=[*({**about, "message": one, "done": False} for one in cut), end])

    def _about(self, path: str, body: dict[str, Any]) -> Reply:
        family = self.model.partition(":")[0]
        details = {"format": "gguf", "family": family, "parameter_size": "8.2B", "quantization_level": "Q4_K_M"}
        match path:
            case "/":
                return Reply(200, "Ollama is running")
            case "/api/version":
                return Reply(200, {"version": "0.12.6"})
            case "/api/tags":
                modified = "2026-01-01T00:00:00Z"
                entry = {
                    "name": self.model,
                    "model": self.model,
                    "modified_at": modified,
                    "size": 1,
                    "details": details,
                }
                return Reply(200, {"models": [entry]})
            case "/v1/models":
                listed = {"id": self.model, "object": "model", "created": 1, "owned_by": "library"}
                return Reply(200, {"object": "list", "data": [listed]})
            case "/api/show" if body.get("model") == self.model:
                shown = {"general.architecture": family, f"{family}.context_length": self.context_length}
                known = {"parameters": self.parameters, "capabilities": list(self.capabilities)}
                return Reply(200, {"modelfile": "", "details": details, "model_info": shown, **known})
            case "/api/show":
                return Reply(404, {"error": f"model '{body.get('model')}' not found"})
        return Reply(404, {"error": "404 page not found"})

    def _compatible(self, body: dict[str, Any]) -> Reply:
        self.compatible.append(body)
        if body["model"] != self.model:
            return error(404, f"model '{body['model']}' not found", "not_found_error")
        return as_reply(body, think(role_of(body), body))


def _think(body: dict[str, Any]) -> dict[str, Any]:
    """Answer a prompt of ours as the offline model does; Ollama cannot be made to call a tool."""
    human = next(message["content"] for message in body["messages"] if message["role"] == "user")
    fields = (body.get("format") or {}).get("properties", ())
    wanted = next((name for field, name in TELLING.items() if field in fields), "")
    called = next((one["function"]["name"] for one in body.get("tools") or []), "")
    thought = answer_rendered(SCHEMAS.get(wanted or called, "reporter"), human)
    if called in SCHEMAS:
        call = {"function": {"name": called, "arguments": json.loads(thought)}}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
    return {"role": "assistant", "content": thought}


def ollama_server() -> AbstractContextManager[OllamaServer]:
    return served(OllamaServer())
