"""A loopback server that speaks Gemini's generateContent: streams, functions, usage, and its errors. It thinks with the offline model."""

import json
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from benchmarks.rendered_prompts import answer_rendered
from tests.fakes.http import Reply, Request, served
from tests.fakes.openai_server import SCHEMAS
from tests.fakes.provider import Provider, pieces

Part = dict[str, Any]


@dataclass(slots=True)
class GoogleServer(Provider):
    """What was asked, and what to answer."""

    model: str = "gemini-2.5-flash"

    def answer(self, request: Request) -> Reply:
        if request.headers.get("X-Goog-Api-Key") != self.key:
            return failure(
                400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "API_KEY_INVALID"
            )
        path, _, _ = request.path.partition("?")
        model, _, method = path.rpartition("/models/")[2].partition(":")
        body = request.body
        self.requests.append(body)
        if model != self.model:
            return failure(404, "NOT_FOUND", f"models/{model} is not found for API version v1beta")
        parts, counted = self.said(body, _think)
        if isinstance(parts, Reply):
            return parts
        usage = {"promptTokenCount": counted[0], "candidatesTokenCount": counted[1], "totalTokenCount": sum(counted)}
        if method == "generateContent":
            return Reply(body=_answer(model, parts, usage, "STOP"))
        cut = [piece for part in parts for piece in _pieces(part)]
        answers = [_answer(model, [piece], {**usage, "candidatesTokenCount": 0}, "") for piece in cut[:-1]]
        return Reply(events=[*answers, _answer(model, cut[-1:], usage, "STOP")], done=False)


def failure(status: int, kind: str, message: str, reason: str = "") -> Reply:
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}] if reason else []
    return Reply(status, {"error": {"code": status, "message": message, "status": kind, "details": details}})


def _answer(model: str, parts: list[Part], usage: dict[str, int], finish: str) -> dict[str, Any]:
    candidate = {
        "content": {"role": "model", "parts": parts},
        "index": 0,
        **({"finishReason": finish} if finish else {}),
    }
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": "1"}


def _pieces(part: Part) -> list[Part]:
    text = part.get("text")
    return [part] if text is None else [{**part, "text": piece} for piece in pieces(text)]


def _think(body: dict[str, Any]) -> list[Part]:
    """Answer a prompt of ours as the offline model does, by a call of the function that stands for the schema if there is one."""
    human = next("".join(part["text"] for part in one["parts"]) for one in body["contents"] if one["role"] == "user")
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    name = next(iter(calling.get("allowedFunctionNames") or []), "")
    thought = answer_rendered(SCHEMAS.get(name, "reporter"), human)
    return [{"functionCall": {"name": name, "args": json.loads(thought)}}] if name else [{"text": thought}]


def google_server() -> AbstractContextManager[GoogleServer]:
    return served(GoogleServer())
