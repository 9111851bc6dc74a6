"""A loopback server that behaves as reasoning models do, over OpenAI's chat completions.

It is silent while it thinks, thinks before it answers, takes no `temperature`, and where an answer has less room than the
thinking needs, it ends with nothing said. Its answers are those of `openai_server`.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.http import Reply, Request, served
from tests.fakes.openai_server import OpenAIServer, completion, error

Shown = Literal["reasoning_content", "think", "instead", "hidden"]
"""Where the thinking goes: into a part of its own, into tags before the answer, into a part of its own with the answer at its
end and no content (free text stands there alone, as with servers that take a model's answer for its thoughts), or nowhere,
as with OpenAI's own models."""

THOUGHT = "Thought: weigh the passages against the question first. "
"""What it thinks, over and over; no report may hold it."""
THOUGHTS_SHOWN = 8
"""How often a stream says it."""


@dataclass(slots=True)
class ReasoningServer(OpenAIServer):
    """What was asked, and how the model thinks."""

    silence: float = 0.0
    """Seconds of thinking before the first byte, or before the first event where there are heartbeats."""
    heartbeats: int = 0
    """Comments that are sent during the silence."""
    shown: Shown = "reasoning_content"
    needs: int = 3_000
    """Tokens of room below which nothing is left for the answer."""
    thinking_tokens: int = 640
    """Tokens that it thinks where it has the room."""
    takes_temperature: bool = False
    forced_json_suppresses_thinking: bool = False
    """Whether it answers at once, without thinking and within any room, where a JSON schema is forced on it."""
    models: list[str] = field(default_factory=lambda: ["thinker-1"])
    refused: list[str] = field(default_factory=list)
    """Parameters that were refused, in the order of their requests."""
    empty: list[str] = field(default_factory=list)
    """Roles whose answers had no room, in the order of their requests."""

    def answer(self, request: Request) -> Reply:
        if request.path == "/v1/models" and request.headers.get("Authorization") == f"Bearer {self.key}":
            listed = [{"id": name, "object": "model", "created": 1, "owned_by": "loopback"} for name in self.models]
            return Reply(body={"object": "list", "data": listed})
        return OpenAIServer.answer(self, request)  # slots make another class of this, which `super()` does not know

    def _reply(self, body: dict[str, Any], role: str) -> Reply:
        if not self.takes_temperature and body.get("temperature", 1) != 1:
            said = (
                f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. "
                "Only the default (1) value is supported."
            )
            return self._remembered(error(400, said, "unsupported_value", "temperature"), "temperature")
        room = body.get("max_completion_tokens") or body.get("max_tokens")
        thinks = not (self.forced_json_suppresses_thinking and "response_format" in body)
        if thinks and room is not None and room < self.needs:
            self.empty.append(role)
            return self._silent(self._thought(_completed(body, room), body, room))
        reply = OpenAIServer._reply(self, body, role)
        if reply.status != 200:
            return self._remembered(reply, str(((reply.body or {}).get("error") or {}).get("param")))
        return self._silent(self._thought(reply, body, self.thinking_tokens) if thinks else reply)

    def _remembered(self, refusal: Reply, parameter: str) -> Reply:
        self.refused.append(parameter)
        return refusal

    def _silent(self, reply: Reply) -> Reply:
        """Keep silent before a reply, with heartbeats where it is streamed."""
        if reply.events is not None and self.heartbeats:
            reply.heartbeats = (self.heartbeats, self.silence / self.heartbeats)
        else:
            reply.stall = self.silence
        return reply

    def _thought(self, reply: Reply, body: dict[str, Any], tokens: int) -> Reply:
        """Put thinking before an answer, and count it."""
        if reply.events is None:
            self._think_whole(reply.body)
        else:
            self._think_in_pieces(reply, body)
        for part in (reply.body, *(reply.events or ())):
            if usage := (part or {}).get("usage"):
                usage["completion_tokens"] += tokens
                usage["total_tokens"] += tokens
                usage["completion_tokens_details"] = {"reasoning_tokens": tokens}
        return reply

    def _think_whole(self, body: dict[str, Any]) -> None:
        message, thought = body["choices"][0]["message"], THOUGHT * THOUGHTS_SHOWN
        if self.shown == "reasoning_content":
            message["reasoning_content"] = thought
        elif self.shown == "think" and message["content"] is not None:
            message["content"] = f"<think>{thought}" + (f"</think>\n{message['content']}" if message["content"] else "")
        elif self.shown == "instead" and message["content"] is not None:
            before = f"{thought}\n\n" if message["content"].startswith("{") else ""
            message["reasoning_content"], message["content"] = f"{before}{message['content']}", ""

    def _think_in_pieces(self, reply: Reply, body: dict[str, Any]) -> None:
        events = reply.events or []
        about = {"id": "chatcmpl-1", "created": 1, "model": body["model"], "object": "chat.completion.chunk"}
        name = "content" if self.shown == "think" else "reasoning_content"
        pieces = [THOUGHT] * THOUGHTS_SHOWN
        if self.shown == "think":
            cut_off = any(choice["finish_reason"] == "length" for event in events for choice in event["choices"])
            pieces = ["<think>", *pieces, *([] if cut_off else ["</think>", "\n"])]
        elif self.shown == "instead":
            deltas = [choice["delta"] for event in events for choice in event["choices"]]
            said = "".join(delta.get("content") or "" for delta in deltas)
            pieces = [*pieces, "\n\n"] if not said or said.startswith("{") else []
            for delta in deltas:
                if delta.get("content"):
                    delta["reasoning_content"] = delta.pop("content")
        thinking = [
            {**about, "choices": [{"index": 0, "delta": {"role": "assistant", name: piece}, "finish_reason": None}]}
            for piece in pieces
        ]
        reply.events = events if self.shown == "hidden" else [*thinking, *events]


def _completed(body: dict[str, Any], tokens: int) -> Reply:
    """Return an answer that ended before it began."""
    reply = completion(body, "", "length")
    for part in (reply.body, *(reply.events or ())):
        if usage := (part or {}).get("usage"):
            usage["completion_tokens"], usage["total_tokens"] = 0, usage["prompt_tokens"]
    return reply


def reasoning_server() -> AbstractContextManager[ReasoningServer]:
    return served(ReasoningServer(), "/v1")
