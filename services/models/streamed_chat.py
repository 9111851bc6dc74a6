"""`ChatOpenAI` that streams every answer, to detect stalls: without the model's reasoning, at little cost per token."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, merge_message_runs
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai.chat_models.base import ChatOpenAI
from openai import APIError, AsyncAPIResponse
from pydantic import Field, SecretStr

from services.models.answer_watch import BrokeOff, Sign
from services.models.reasoning_tags import REASONING, closing_of, may_open, split_thinking

PASSED_BACK = "passed_back"
"""Key of what an endpoint wants to see again in its message, in a loop of tools."""
Piece = dict[str, Any]
"""One decoded event of a stream; empty for a sign of life."""
_REASONING_KEYS = (REASONING, "reasoning")
"""Keys of the reasoning in a message; OpenRouter and later versions of vLLM use the second."""
_END: Piece = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
_MESSAGE_KEYS = {"role", "content", "refusal", "tool_calls", "function_call", "annotations", "audio"}
_CALL_KEYS = {"id", "type", "function", "index"}
"""OpenAI's own keys of a message and of a call of a tool; what stands beside them goes back with the message."""


class PiecewiseChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that asks for a stream also where the answer is wanted whole.

    The pieces stay the dictionaries that they came as: the client would make a tree of objects of each token, which LangChain
    turns back into a dictionary, for a third of the processor time of a server full of runs.
    """

    piecewise: bool = True
    """False for endpoints that take no request for a stream."""
    plain_roles: bool = False
    """True for endpoints that take only messages of users and assistants, in turn."""
    on_piece: Callable[[Sign, str], None] | None = Field(default=None, exclude=True)
    """Called for each sign of life of an answer, with its text."""

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        async with self._response(messages, stop, **kwargs) as response:
            if _is_stream(response):
                return self._result(await _put_together(self._heard(response)))
            return self._result(await _whole(response))

    def _result(self, answer: dict[str, Any]) -> ChatResult:
        result = self._create_chat_result(answer)
        message = answer["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        kept = {"refusal": message.get("refusal"), REASONING: _reasoning(message)}
        if calls:
            beside = {call.get("id") or "": _others(call, _CALL_KEYS) for call in calls}
            kept[PASSED_BACK] = {"message": _others(message, _MESSAGE_KEYS), "calls": beside}
        result.generations[0].message.additional_kwargs.update(kept)
        return result

    @asynccontextmanager
    async def _response(
        self, messages: list[BaseMessage], stop: list[str] | None, **kwargs: Any
    ) -> AsyncIterator[AsyncAPIResponse[Any]]:
        if self.plain_roles:
            messages = merge_message_runs([HumanMessage(m.text) if m.type == "system" else m for m in messages])
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        for message, sent in zip(messages, payload["messages"], strict=False):
            _pass_back(message.additional_kwargs.get(PASSED_BACK), sent)
        if self.openai_api_key and "api-version" in (self.default_query or {}):  # Azure knows a key by its own header
            key = self.openai_api_key
            payload["extra_headers"] = {"api-key": key.get_secret_value()} if isinstance(key, SecretStr) else {}
        if self.piecewise:
            payload |= {"stream": True, **({"stream_options": {"include_usage": True}} if self.stream_usage else {})}
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
                whole = self._result(await _whole(response)).generations[0]
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


def _others(part: dict[str, Any], known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in known and value is not None}


def _pass_back(kept: dict[str, Any] | None, sent: dict[str, Any]) -> None:
    """Put back what stood in a message and its calls when they came: thoughts, and signatures of them."""
    if kept is not None:
        sent |= kept["message"]
        for call in sent.get("tool_calls") or ():
            call.update(kept["calls"].get(call.get("id"), {}))


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
    held, closing = "", None
    writing = ended = False
    async for chunk in chunks:
        ended = ended or bool((chunk.generation_info or {}).get("finish_reason"))
        text, thoughts = chunk.text, ""
        if text and not writing:
            held += text
            if may_open(held):
                continue
            closing = closing_of(held)
            writing = closing is None or (bool(closing) and closing in held)
            thoughts, _, text = held.partition(closing) if writing and closing else ("", "", held if writing else "")
            if writing:
                text, held = text.lstrip() if closing else text, ""
        yield _chunk(text, split_thinking(thoughts)[1], chunk)
    if not ended:
        raise BrokeOff
    if held:
        yield _chunk(*split_thinking(held))


def _chunk(text: str, thoughts: str, of: ChatGenerationChunk | None = None) -> ChatGenerationChunk:
    message = of.message if of else AIMessageChunk(content="")
    update: dict[str, Any] = {"content": text}
    if thoughts:
        update["additional_kwargs"] = {**message.additional_kwargs, REASONING: thoughts}
    return ChatGenerationChunk(
        message=message.model_copy(update=update), generation_info=of.generation_info if of else None
    )


async def _put_together(pieces: AsyncIterator[Piece]) -> dict[str, Any]:
    """Assemble a stream's pieces into the answer that would have come without streaming.

    Raises:
        APIError: the endpoint failed amid its answer.
        BrokeOff: the stream ends before the answer does.
    """
    text: dict[str, list[str]] = {"content": [], "refusal": [], **{key: [] for key in _REASONING_KEYS}}
    others: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    about: dict[str, Any] = {}
    finish_reason = None
    async for piece in pieces:
        about |= {key: piece[key] for key in ("id", "model", "usage") if piece.get(key)}
        for choice in piece.get("choices") or []:
            finish_reason = choice.get("finish_reason") or finish_reason
            delta = choice.get("delta") or {}
            for key, parts in text.items():
                parts.append(delta.get(key) or "")
            for key, value in _others(delta, {*_MESSAGE_KEYS, *text}).items():
                others[key] = [*others.get(key, []), *value] if isinstance(value, list) else value
            for call in delta.get("tool_calls") or []:
                _add_call(calls, call)
    if finish_reason is None:
        raise BrokeOff
    whole = {key: "".join(parts) or None for key, parts in text.items()}
    message: dict[str, Any] = {"role": "assistant", **whole, **others}
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    return {**about, "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}]}


async def _whole(response: AsyncAPIResponse[Any]) -> dict[str, Any]:
    """Decode an answer that came whole.

    Raises:
        APIError: it is an error, or has no answer in it, although its status says that all went well.
    """
    answer: Any = await response.json()
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not choices or answer.get("error"):
        raise APIError("The answer has no choices.", response.http_request, body=answer)
    for choice in choices:
        _as_text(choice["message"])
    return cast("dict[str, Any]", answer)


async def _pieces(response: AsyncAPIResponse[Any]) -> AsyncIterator[Piece]:
    """Decode server-sent events; comments, heartbeats and other events without content are empty pieces.

    An answer without a finish reason has ended where the server says that all is sent.

    Raises:
        APIError: the endpoint failed amid its answer.
        BrokeOff: an event is not whole.
    """
    begun = ended = False
    async for line in response.iter_lines():
        data = line.removeprefix("data:").strip()
        if not line.startswith(("data:", "{")) or data in {"", "[DONE]"}:
            yield _END if data == "[DONE]" and begun and not ended else {}
            continue
        try:
            piece = json.loads(data)
        except ValueError:
            raise BrokeOff from None
        if not isinstance(piece, dict) or piece.get("error"):
            raise APIError("The endpoint failed in the middle of its answer.", response.http_request, body=piece)
        for choice in piece.get("choices") or ():
            begun, ended = True, ended or bool(choice.get("finish_reason"))
            _as_text(choice.get("delta") or {})
        yield piece


def _as_text(message: dict[str, Any]) -> None:
    """Turn content that came as a list of parts into text, and what is no text of the answer into reasoning."""
    parts = message.get("content")
    if isinstance(parts, list):
        texts: dict[bool, list[str]] = {True: [], False: []}
        for part in parts:
            texts[not isinstance(part, dict) or "text" in part.get("type", "text")].append(_text_in(part))
        message["content"] = "".join(texts[True])
        message[REASONING] = _reasoning(message) + "".join(texts[False])


def _text_in(part: Any) -> str:
    """Return the text of a part of a message, however deep it stands."""
    if isinstance(part, dict):
        return "".join(_text_in(part.get(key)) for key in ("text", "thinking", "reasoning", "summary", "content"))
    return "".join(map(_text_in, part)) if isinstance(part, list) else part if isinstance(part, str) else ""


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
    call |= _others(piece, _CALL_KEYS)
    call["id"] = piece.get("id") or call["id"]
    function = piece.get("function") or {}
    for part in ("name", "arguments"):
        call["function"][part] += function.get(part) or ""
