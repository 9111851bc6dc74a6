"""An OpenAI-compatible endpoint on loopback that takes its time as a model does, in a process of its own.

    python -m benchmarks.stub_endpoint [--port P] [--first-token S] [--per-token S] [--script FILE]

It thinks with the offline model, and answers when a model with the given latency would: the first token after
`--first-token` seconds, each further one `--per-token` seconds later. Its own thinking is part of that time, not added to
it. The first line on stdout is the address. `GET /log` returns every completed call; `DELETE /log` forgets them.
"""

import argparse
import asyncio
import json
import socket
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from langchain_core.messages import AIMessage
from langchain_core.messages.utils import count_tokens_approximately
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from benchmarks.rendered_prompts import ROLES, answer_rendered
from prompts import template_source

FIRST_TOKEN_SECONDS = 0.2
PER_TOKEN_SECONDS = 0.005
SCHEMAS = {
    "Triage": "coordinator",
    "Plan": "planner",
    "Findings": "researcher",
    "Code": "coder",
    "Reflection": "reflector",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One completed call. Times are seconds of the system's monotonic clock, which all processes share."""

    role: str
    start: float
    end: float
    prompt_tokens: int
    schema_tokens: int
    """Part of the prompt's tokens that are the schemas of the answer and of the tools."""
    completion_tokens: int
    thinking_seconds: float
    """How long the offline model took; where it is longer than the latency model allows, the call was late."""
    streamed: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call says, and when each of its tokens is due."""

    text: str
    tool: str
    """Name of the tool that is called with `text` as arguments; empty for plain content."""
    usage: dict[str, int]
    schema_tokens: int
    first_token_at: float
    per_token: float
    end: float

    @property
    def pieces(self) -> list[tuple[float, str]]:
        """The text in as many pieces as it has tokens, each with the moment at which it is due."""
        count = self.usage["completion_tokens"]
        size = max(1, -(-len(self.text) // count))
        cut = [self.text[start : start + size] for start in range(0, len(self.text), size)]
        return [(self.first_token_at + self.per_token * place, piece) for place, piece in enumerate(cut)]


@dataclass(slots=True)
class Endpoint:
    """Answers chat completions, and keeps the log."""

    first_token: float = FIRST_TOKEN_SECONDS
    per_token: float = PER_TOKEN_SECONDS
    script: dict[str, list[str]] = field(default_factory=dict)
    """Answers by role that come before the offline model's, one a call."""
    log: list[Call] = field(default_factory=list)

    def app(self) -> Starlette:
        """Return the web application."""
        return Starlette(
            routes=[
                Route("/v1/chat/completions", self.complete, methods=["POST"]),
                Route("/v1/models", self.models),
                Route("/log", self.read_log),
                Route("/log", self.clear_log, methods=["DELETE"]),
            ]
        )

    async def complete(self, request: Request) -> Response:
        """Answer one call, at once or as a stream of events."""
        start = time.monotonic()
        try:
            body = await request.json()
            role, human = role_of(body), _human(body)
        except (ValueError, LookupError, TypeError) as error:
            problem = {"message": f"This request cannot be read: {error!r}", "type": "invalid_request_error"}
            return JSONResponse({"error": problem}, 400)
        scripted = self.script.get(role)
        text = scripted.pop(0) if scripted else await asyncio.to_thread(think, role, human)
        thought = time.monotonic() - start
        wrote = count_tokens_approximately([AIMessage(text)])
        of_schemas = schema_tokens(body)
        read = message_tokens(body) + of_schemas
        answer = Answer(
            text=text,
            tool=_forced_tool(body),
            usage={"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
            schema_tokens=of_schemas,
            first_token_at=start + self.first_token,
            per_token=self.per_token,
            end=start + self.first_token + self.per_token * (wrote - 1),
        )
        if body.get("stream"):
            return StreamingResponse(self._stream(body, role, answer, start, thought), media_type="text/event-stream")
        await _until(answer.end)
        self._note(role, answer, start, thought, streamed=False)
        return JSONResponse(_completion(body, answer))

    async def _stream(
        self, body: dict[str, Any], role: str, answer: Answer, start: float, thought: float
    ) -> AsyncIterator[str]:
        chunk = {**_about(body), "object": "chat.completion.chunk"}
        first = True
        for due, piece in answer.pieces:
            await _until(due)
            delta = _delta(answer.tool, piece, first=first)
            first = False
            yield _event({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        await _until(answer.end)
        finish = "tool_calls" if answer.tool else "stop"
        yield _event({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            yield _event({**chunk, "choices": [], "usage": answer.usage})
        self._note(role, answer, start, thought, streamed=True)
        yield "data: [DONE]\n\n"

    def _note(self, role: str, answer: Answer, start: float, thought: float, *, streamed: bool) -> None:
        usage = answer.usage
        self.log.append(
            Call(
                role=role,
                start=start,
                end=time.monotonic(),
                prompt_tokens=usage["prompt_tokens"],
                schema_tokens=answer.schema_tokens,
                completion_tokens=usage["completion_tokens"],
                thinking_seconds=round(thought, 4),
                streamed=streamed,
            )
        )

    async def models(self, _: Request) -> Response:
        """List the one model there is."""
        return JSONResponse({"object": "list", "data": [{"id": "stub", "object": "model", "owned_by": "benchmarks"}]})

    async def read_log(self, _: Request) -> Response:
        """Return all completed calls in the order in which they ended."""
        return JSONResponse([asdict(call) for call in self.log])

    async def clear_log(self, _: Request) -> Response:
        """Forget all calls."""
        self.log.clear()
        return Response(status_code=204)


def think(role: str, human: str) -> str:
    """Return what the offline model answers to a role's prompt."""
    return answer_rendered(role, human)


def role_of(body: dict[str, Any]) -> str:
    """Tell who asks: by the schema that is wanted, as response format or as tool, else by the prompt's first sentence."""
    wanted = [(body.get("response_format") or {}).get("json_schema", {}).get("name", "")]
    wanted += [tool["function"]["name"] for tool in body.get("tools") or []]
    for name in wanted:
        if name in SCHEMAS:
            return SCHEMAS[name]
    system = next((_text(message) for message in body["messages"] if message["role"] in {"system", "developer"}), "")
    return next((role for role in ROLES if system.startswith(_opening(role))), "reporter")


def message_tokens(body: dict[str, Any]) -> int:
    """Count the tokens of all messages, approximately."""
    return count_tokens_approximately([(message["role"], _text(message)) for message in body["messages"]])


def schema_tokens(body: dict[str, Any]) -> int:
    """Count the tokens of the answer's schema and of the tools' as the same counter would: four characters each."""
    schemas = [body[key] for key in ("response_format", "tools") if body.get(key)]
    text = "".join(json.dumps(schema, ensure_ascii=False, separators=(",", ":")) for schema in schemas)
    return -(-len(text) // 4)


def _opening(role: str) -> str:
    """Return the first words of a role's system prompt, up to the first variable."""
    return template_source(role).split("{% block system %}\n")[1].split("{{")[0].split("\n")[0].strip()


def _forced_tool(body: dict[str, Any]) -> str:
    """Return the tool by which an answer's schema is asked for, where it is asked for so."""
    if body.get("response_format"):
        return ""
    names = [tool["function"]["name"] for tool in body.get("tools") or []]
    return next((name for name in names if name in SCHEMAS), "")


def _human(body: dict[str, Any]) -> str:
    asked = [_text(message) for message in body["messages"] if message["role"] == "user"]
    return asked[0]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _about(body: dict[str, Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-stub", "created": int(time.time()), "model": body.get("model", "stub")}


def _completion(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.tool:
        function = {"name": answer.tool, "arguments": answer.text}
        message |= {"content": None, "tool_calls": [{"id": "call_stub", "type": "function", "function": function}]}
    finish = "tool_calls" if answer.tool else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return {**_about(body), "object": "chat.completion", "choices": [choice], "usage": answer.usage}


def _delta(tool: str, piece: str, *, first: bool) -> dict[str, Any]:
    if not tool:
        return {"role": "assistant", "content": piece}
    call: dict[str, Any] = {"index": 0, "function": {"arguments": piece}}
    if first:
        call = {"index": 0, "id": "call_stub", "type": "function", "function": {"name": tool, "arguments": piece}}
    return {"role": "assistant", "tool_calls": [call]}


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


async def _until(moment: float) -> None:
    left = moment - time.monotonic()
    if left > 0:
        await asyncio.sleep(left)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stub_endpoint", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--first-token", type=float, default=FIRST_TOKEN_SECONDS, metavar="S")
    parser.add_argument("--per-token", type=float, default=PER_TOKEN_SECONDS, metavar="S")
    parser.add_argument("--script", type=Path, metavar="FILE", help="JSON: answers by role, each a list of texts")
    given = parser.parse_args()
    script = json.loads(given.script.read_text("utf-8")) if given.script else {}
    endpoint = Endpoint(given.first_token, given.per_token, script)
    listener = socket.create_server(("127.0.0.1", given.port), backlog=1_024)
    sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}/v1\n")
    sys.stdout.flush()
    config = uvicorn.Config(endpoint.app(), log_level="error", access_log=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
