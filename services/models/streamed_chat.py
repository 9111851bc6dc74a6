"""`ChatOpenAI` that streams every answer, to detect stalls: without the model's reasoning, at little cost per token."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

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
            answer = _Assembled()
            async for piece in self._heard(response):
                answer.add(piece)
            return self._result(answer.whole())

    def _result(self, answer: dict[str, Any]) -> ChatResult:
        result = self._create_chat_result(answer)
        message = answer["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        extras = {"refusal": message.get("refusal"), REASONING: _reasoning(message)}
        if calls:
            beside = {call.get("id") or "": _others(call, _CALL_KEYS) for call in calls}
            extras[PASSED_BACK] = {"message": _others(message, _MESSAGE_KEYS), "calls": beside}
        result.generations[0].message.additional_kwargs.update(extras)
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
        """Yield the text of the answer as it comes, without thoughts at its beginning, and then all that came with it."""
        answer, shown = _Assembled(), _ShownText()
        async with self._response(messages, stop, **kwargs) as response:
            async for piece in self._heard(response):
                if text := shown.add(answer.add(piece)):
                    yield ChatGenerationChunk(message=AIMessageChunk(content=text))
        result = self._result(answer.whole())
        [generation] = result.generations
        text, thoughts = split_thinking(generation.text)
        message = AIMessageChunk(
            **generation.message.model_dump(exclude={"type", "content"}), content="" if shown.begun else text
        )
        message.additional_kwargs[REASONING] = message.additional_kwargs[REASONING] or thoughts
        info = {**(generation.generation_info or {}), "model_name": (result.llm_output or {}).get("model_name")}
        yield ChatGenerationChunk(message=message, generation_info=info)


def _others(part: dict[str, Any], known: set[str]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in known and value is not None}


def _pass_back(stored: dict[str, Any] | None, sent: dict[str, Any]) -> None:
    """Restore the fields that a message and its calls came with: reasoning, and its signatures."""
    if stored is not None:
        sent |= stored["message"]
        for call in sent.get("tool_calls") or ():
            call.update(stored["calls"].get(call.get("id"), {}))


class _ShownText:
    """The text that is shown while an answer comes: it begins behind the thoughts with which the answer may begin."""

    def __init__(self) -> None:
        self.begun = False
        self._held = ""

    def add(self, text: str) -> str:
        """Add a piece of the answer; returns the text to show now."""
        if self.begun or not text:
            return text
        self._held += text
        if may_open(self._held):
            return ""
        closing = closing_of(self._held)
        self.begun = closing is None or (bool(closing) and closing in self._held)
        if not self.begun:
            return ""
        return self._held.partition(closing)[2].lstrip() if closing else self._held


class _Assembled:
    """Assembles the pieces of a stream into the answer that would have come without streaming."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {"content": [], "refusal": [], **{key: [] for key in _REASONING_KEYS}}
        self._others: dict[str, Any] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._about: dict[str, Any] = {}
        self._finish_reason: str | None = None

    def add(self, piece: Piece) -> str:
        """Add a piece; returns its text."""
        text = ""
        self._about |= {key: piece[key] for key in ("id", "model", "usage") if piece.get(key)}
        for choice in piece.get("choices") or []:
            self._finish_reason = choice.get("finish_reason") or self._finish_reason
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            for key, parts in self._texts.items():
                parts.append(delta.get(key) or "")
            for key, value in _others(delta, {*_MESSAGE_KEYS, *self._texts}).items():
                self._others[key] = [*self._others.get(key, []), *value] if isinstance(value, list) else value
            for call in delta.get("tool_calls") or []:
                _add_call(self._calls, call)
        return text

    def whole(self) -> dict[str, Any]:
        """Return the answer.

        Raises:
            BrokeOff: the stream ended before the answer did.
        """
        if self._finish_reason is None:
            raise BrokeOff
        whole = {key: "".join(parts) or None for key, parts in self._texts.items()}
        message: dict[str, Any] = {"role": "assistant", **whole, **self._others}
        if self._calls:
            message["tool_calls"] = [self._calls[place] for place in sorted(self._calls)]
        return {**self._about, "choices": [{"index": 0, "finish_reason": self._finish_reason, "message": message}]}


async def _pieces(response: AsyncAPIResponse[Any]) -> AsyncIterator[Piece]:
    """Decode server-sent events; comments, heartbeats and other events without content are empty pieces.

    An answer without a finish reason has ended where the server says that all is sent. One that comes whole, although a stream was
    requested, is a single piece.

    Raises:
        APIError: the endpoint failed amid its answer, or sent an error or no answer although its status says that all went well.
        BrokeOff: an event is not whole.
    """
    if "event-stream" not in response.headers.get("content-type", ""):
        answer: Any = await response.json()
        choices = answer.get("choices") if isinstance(answer, dict) else None
        if not choices or answer.get("error"):
            raise APIError("The answer has no choices.", response.http_request, body=answer)
        for choice in choices:
            choice |= {"delta": choice["message"], "finish_reason": choice.get("finish_reason") or "stop"}
            _as_text(choice["delta"])
        yield answer
        return
    begun = ended = False
    line = ""
    async for following in response.iter_lines():
        before, line = line, following
        if before and not line:  # the end of an event that was heard
            continue
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
    if isinstance(part, dict):
        return "".join(_text_in(part.get(key)) for key in ("text", "thinking", "reasoning", "summary", "content"))
    return "".join(map(_text_in, part)) if isinstance(part, list) else part if isinstance(part, str) else ""


def _sign_of(piece: Piece) -> tuple[Sign, str]:
    for choice in piece.get("choices") or ():
        delta = choice.get("delta") or {}
        functions = [call.get("function") or {} for call in delta.get("tool_calls") or []]
        pieces = [delta.get("content"), *(function.get("arguments") for function in functions)]
        if written := "".join(filter(None, pieces)):
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
