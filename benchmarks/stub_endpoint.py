"""An OpenAI-compatible endpoint on loopback that takes its time as a model does, in a process of its own.

    python -m benchmarks.stub_endpoint [--first-token S] [--per-token S]

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
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from langchain_core.messages import AIMessage
from langchain_core.messages.utils import count_tokens_approximately
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from benchmarks.rendered_prompts import answer_rendered, role_of

FIRST_TOKEN_SECONDS = 0.2
PER_TOKEN_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call says, and when each of its tokens is due, in seconds of the system's monotonic clock, which all processes share."""

    text: str
    role: str
    usage: dict[str, int]
    schema_tokens: int
    """Part of the prompt's tokens that are the schema of the answer."""
    start: float
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
    log: list[dict[str, Any]] = field(default_factory=list)

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
            system, human = (_texts(body, *roles)[0] for roles in (("system", "developer"), ("user",)))
        except (ValueError, LookupError, TypeError) as error:
            problem = {"message": f"This request cannot be read: {error!r}", "type": "invalid_request_error"}
            return JSONResponse({"error": problem}, 400)
        role = role_of(system) or "reporter"
        text = await asyncio.to_thread(answer_rendered, role, human)
        wrote = count_tokens_approximately([AIMessage(text)])
        of_schemas = schema_tokens(body)
        read = message_tokens(body) + of_schemas
        answer = Answer(
            text=text,
            role=role,
            usage={"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote},
            schema_tokens=of_schemas,
            start=start,
            first_token_at=start + self.first_token,
            per_token=self.per_token,
            end=start + self.first_token + self.per_token * (wrote - 1),
        )
        if body.get("stream"):
            return StreamingResponse(self._stream(body, answer), media_type="text/event-stream")
        await _until(answer.end)
        self._note(answer)
        return JSONResponse(_completion(body, answer))

    async def _stream(self, body: dict[str, Any], answer: Answer) -> AsyncIterator[str]:
        chunk = {**_about(body), "object": "chat.completion.chunk"}
        for due, piece in answer.pieces:
            await _until(due)
            delta = {"role": "assistant", "content": piece}
            yield _event({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        await _until(answer.end)
        yield _event({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            yield _event({**chunk, "choices": [], "usage": answer.usage})
        self._note(answer)
        yield "data: [DONE]\n\n"

    def _note(self, answer: Answer) -> None:
        times = {"start": answer.start, "end": time.monotonic()}
        self.log.append({"role": answer.role, **times, **answer.usage, "schema_tokens": answer.schema_tokens})

    async def models(self, _: Request) -> Response:
        """List the one model there is."""
        return JSONResponse({"object": "list", "data": [{"id": "stub", "object": "model", "owned_by": "benchmarks"}]})

    async def read_log(self, _: Request) -> Response:
        """Return all completed calls in the order in which they ended."""
        return JSONResponse(self.log)

    async def clear_log(self, _: Request) -> Response:
        """Forget all calls."""
        self.log.clear()
        return Response(status_code=204)


def message_tokens(body: dict[str, Any]) -> int:
    """Count the tokens of all messages, approximately."""
    return count_tokens_approximately([(message["role"], _text(message)) for message in body["messages"]])


def schema_tokens(body: dict[str, Any]) -> int:
    """Count the tokens of the answer's schema as the same counter would: four characters each."""
    schema = body.get("response_format")
    return -(-len(json.dumps(schema, ensure_ascii=False, separators=(",", ":"))) // 4) if schema else 0


def _texts(body: dict[str, Any], *roles: str) -> list[str]:
    return [_text(message) for message in body["messages"] if message["role"] in roles]


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _about(body: dict[str, Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-stub", "created": int(time.time()), "model": body.get("model", "stub")}


def _completion(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return {**_about(body), "object": "chat.completion", "choices": [choice], "usage": answer.usage}


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data)}\n\n"


async def _until(moment: float) -> None:
    left = moment - time.monotonic()
    if left > 0:
        await asyncio.sleep(left)


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stub_endpoint", description=__doc__.splitlines()[0])
    parser.add_argument("--first-token", type=float, default=FIRST_TOKEN_SECONDS, metavar="S")
    parser.add_argument("--per-token", type=float, default=PER_TOKEN_SECONDS, metavar="S")
    given = parser.parse_args()
    endpoint = Endpoint(given.first_token, given.per_token)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1_024)
    sys.stdout.write(f"http://127.0.0.1:{listener.getsockname()[1]}/v1\n")
    sys.stdout.flush()
    config = uvicorn.Config(endpoint.app(), log_level="error", access_log=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
