"""`ChatOpenAI` that streams every answer, to detect stalls: without the model's reasoning, at little cost per token."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai.chat_models.base import ChatOpenAI
from openai import APIError, AsyncAPIResponse
from pydantic import Field

from services.models.answer_watch import BrokeOff, Sign
from services.models.reasoning_tags import CLOSE, OPEN, REASONING

Piece = dict[str, Any]
"""One decoded event of a stream; empty for a sign of life."""
_REASONING_KEYS = (REASONING, "reasoning")
"""Keys of the reasoning in a message; OpenRouter and later versions of vLLM use the second."""


class PiecewiseChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that asks for a stream also where the answer is wanted whole.

    The pieces stay the dictionaries that they came as: the client would make a tree of objects of each token, which LangChain
    turns back into a dictionary, for a third of the processor time of a server full of runs.
    """

    piecewise: bool = True
    """False for endpoints that take no request for a stream."""
    on_piece: Callable[[Sign, str], None] | None = Field(default=None, exclude=True)
    """Called for each sign of life of an answer, with its text."""

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if not self.piecewise:
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        async with self._response(messages, stop, **kwargs) as response:
            answer: Any = await (_put_together(self._heard(response)) if _is_stream(response) else response.json())
        return self._result(answer)

    def _result(self, answer: dict[str, Any]) -> ChatResult:
        result = self._create_chat_result(answer)
        message = answer["choices"][0]["message"]
        kept = {"refusal": message.get("refusal"), REASONING: _reasoning(message)}
        result.generations[0].message.additional_kwargs.update(kept)
        return result

    @asynccontextmanager
    async def _response(
        self, messages: list[BaseMessage], stop: list[str] | None, **kwargs: Any
    ) -> AsyncIterator[AsyncAPIResponse[Any]]:
        streaming = {"stream": True, **({"stream_options": {"include_usage": True}} if self.stream_usage else {})}
        payload = self._get_request_payload(messages, stop=stop, **kwargs) | streaming
        async with self.async_client.with_streaming_response.create(**payload) as response:
            yield response

    async def _heard(self, response: AsyncAPIResponse[Any]) -> AsyncIterator[Piece]:
        """Yield the pieces of an answer and report each to `on_piece`."""
        async for piece in _pieces(response):
            if self.on_piece is not None:
                self.on_piece(*_sign_of(piece))
            if piece:
                yield piece

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async with self._response(messages, stop, **kwargs) as response:
            if not _is_stream(response):
                answer: Any = await response.json()
                whole = self._result(answer).generations[0]
                message = AIMessageChunk(**whole.message.model_dump(exclude={"type"}))
                chunks = _single(ChatGenerationChunk(message=message, generation_info={"finish_reason": "stop"}))
            else:
                chunks = self._chunks(response)
            async for chunk in _without_tags(chunks):
                if run_manager is not None and chunk.text:
                    await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk

    async def _chunks(self, response: AsyncAPIResponse[Any]) -> AsyncIterator[ChatGenerationChunk]:
        async for piece in self._heard(response):
            for choice in piece.get("choices") or ():
                choice.setdefault("delta", None)  # some endpoints leave it out of the last piece
            chunk = self._convert_chunk_to_generation_chunk(piece, AIMessageChunk, None)
            if chunk is not None:
                reasoning = "".join(_reasoning(choice["delta"] or {}) for choice in piece.get("choices") or ())
                if reasoning:
                    chunk.message.additional_kwargs[REASONING] = reasoning
                yield chunk


def _is_stream(response: AsyncAPIResponse[Any]) -> bool:
    """Tell whether an answer is a stream; some endpoints answer whole although a stream was requested."""
    return "event-stream" in response.headers.get("content-type", "")


async def _single(chunk: ChatGenerationChunk) -> AsyncIterator[ChatGenerationChunk]:
    yield chunk


async def _without_tags(chunks: AsyncIterator[ChatGenerationChunk]) -> AsyncIterator[ChatGenerationChunk]:
    """Hold back the text between reasoning tags at the beginning of an answer.

    Raises:
        BrokeOff: the stream ends before the answer does.
    """
    held = ""
    thinking: bool | None = None
    ended = False
    async for chunk in chunks:
        ended = ended or bool((chunk.generation_info or {}).get("finish_reason"))
        text, thoughts = chunk.text, ""
        if thinking is None and text:
            held += text
            begun = held.lstrip().lower()
            if OPEN.startswith(begun) or not begun:
                continue
            thinking = begun.startswith(OPEN)
            text, held = ("", held) if thinking else (held, "")
        elif thinking:
            held += text
            text = ""
        if thinking and CLOSE in held:
            thoughts, _, text = held.partition(CLOSE)
            held, thinking, text = "", False, text.lstrip()
        update: dict[str, Any] = {"content": text}
        if thoughts:
            update["additional_kwargs"] = {**chunk.message.additional_kwargs, REASONING: thoughts.partition(OPEN)[2]}
        yield ChatGenerationChunk(
            message=chunk.message.model_copy(update=update), generation_info=chunk.generation_info
        )
    if not ended:
        raise BrokeOff
    if held and thinking is None:
        yield ChatGenerationChunk(message=AIMessageChunk(content=held))


async def _put_together(pieces: AsyncIterator[Piece]) -> dict[str, Any]:
    """Assemble a stream's pieces into the answer that would have come without streaming.

    Raises:
        APIError: the endpoint failed amid its answer.
        BrokeOff: the stream ends before the answer does.
    """
    text: dict[str, list[str]] = {"content": [], "refusal": [], REASONING: []}
    calls: dict[int, dict[str, Any]] = {}
    about: dict[str, Any] = {}
    finish_reason = None
    async for piece in pieces:
        about |= {key: piece[key] for key in ("id", "model", "usage") if piece.get(key)}
        for choice in piece.get("choices") or []:
            finish_reason = choice.get("finish_reason") or finish_reason
            delta = choice.get("delta") or {}
            text["content"].append(delta.get("content") or "")
            text["refusal"].append(delta.get("refusal") or "")
            text[REASONING].append(_reasoning(delta))
            for call in delta.get("tool_calls") or []:
                _add_call(calls, call)
    if finish_reason is None:
        raise BrokeOff
    message: dict[str, Any] = {"role": "assistant", **{kind: "".join(parts) or None for kind, parts in text.items()}}
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    return {**about, "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}]}


async def _pieces(response: AsyncAPIResponse[Any]) -> AsyncIterator[Piece]:
    """Decode server-sent events; comments, heartbeats and other events without content are empty pieces.

    Raises:
        APIError: the endpoint failed amid its answer.
        BrokeOff: an event is not whole.
    """
    async for line in response.iter_lines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data in {"", "[DONE]"}:
            yield {}
            continue
        try:
            piece = json.loads(data)
        except ValueError:
            raise BrokeOff from None
        if piece.get("error"):
            message = piece["error"].get("message") if isinstance(piece["error"], dict) else piece["error"]
            raise APIError(str(message), response.http_request, body=piece["error"])
        yield piece


def _sign_of(piece: Piece) -> tuple[Sign, str]:
    """Return the kind of sign of life that a piece is, and its text."""
    for choice in piece.get("choices") or ():
        delta = choice.get("delta") or {}
        calls = delta.get("tool_calls") or []
        written = (delta.get("content") or "") + "".join(
            (call.get("function") or {}).get("arguments") or "" for call in calls
        )
        if written:
            return "writing", written
        if thought := _reasoning(delta):
            return "thinking", thought
    return "alive", ""


def _reasoning(message: dict[str, Any]) -> str:
    """Return the reasoning of a message or piece, if it is separate from the answer."""
    return next((text for key in _REASONING_KEYS if isinstance(text := message.get(key), str) and text), "")


def _add_call(calls: dict[int, dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a piece of a tool call; servers that do not number them send each whole."""
    place = piece["index"] if piece.get("index") is not None else len(calls)
    call = calls.setdefault(place, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    call["id"] = piece.get("id") or call["id"]
    function = piece.get("function") or {}
    for part in ("name", "arguments"):
        call["function"][part] += function.get(part) or ""
