"""`ChatOpenAI` that streams every answer, so that a stall is noticed: without what it only thinks, and at little cost a token."""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai.chat_models.base import ChatOpenAI
from openai import APIError, AsyncAPIResponse, AsyncOpenAI, AsyncStream
from openai.resources.chat.completions import AsyncCompletions
from pydantic import Field, model_validator

from services.models.reasoning_tags import CLOSE, OPEN

Piece = TypeVar("Piece")


class BrokeOff(ConnectionError):
    """A stream that ended before the answer did."""

    def __init__(self) -> None:
        super().__init__("the answer broke off in its middle")


class PlainCompletions(AsyncCompletions):
    """Chat completions whose streamed pieces stay the dictionaries that they came as.

    The client would make a tree of objects of each token, which LangChain turns back into a dictionary: a third of the
    processor time of a server full of runs.
    """

    def __init__(self, client: AsyncOpenAI) -> None:
        super().__init__(client)
        post = self._post

        async def plain(path: str, *, stream_cls: Any = None, **options: Any) -> Any:
            return await post(path, stream_cls=AsyncStream[object] if stream_cls is not None else None, **options)

        self._post = plain


class PiecewiseChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that asks for a stream also where the answer is wanted whole."""

    piecewise: bool = True
    """False for endpoints that take no request for a stream."""
    on_piece: Callable[[], None] | None = Field(default=None, exclude=True)
    """Called for each piece of an answer, reasoning and calls of tools too."""

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if not self.piecewise:
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        streaming = {"stream": True, **({"stream_options": {"include_usage": True}} if self.stream_usage else {})}
        payload = self._get_request_payload(messages, stop=stop, **kwargs) | streaming
        async with self.async_client.with_streaming_response.create(**payload) as response:
            if "event-stream" in response.headers.get("content-type", ""):
                answer = await _put_together(self._heard(_pieces(response)))
            else:
                answer = await response.json()
        result = self._create_chat_result(answer)
        result.generations[0].message.additional_kwargs["refusal"] = answer["choices"][0]["message"].get("refusal")
        return result

    async def _heard(self, pieces: AsyncIterator[Piece]) -> AsyncIterator[Piece]:
        async for piece in pieces:
            if self.on_piece is not None:
                self.on_piece()
            yield piece

    @model_validator(mode="after")
    def _plain(self) -> "PiecewiseChatOpenAI":
        self.async_client = PlainCompletions(self.root_async_client)
        return self

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        for choice in chunk.get("choices") or ():
            choice.setdefault("delta", None)  # some endpoints leave it out of the last piece
        return super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        held = ""
        thinking: bool | None = None
        ended = False
        async for chunk in self._heard(super()._astream(messages, stop, None, **kwargs)):
            ended = ended or bool((chunk.generation_info or {}).get("finish_reason"))
            text = chunk.text
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
                text, held, thinking = held.partition(CLOSE)[2].lstrip(), "", False
            out = ChatGenerationChunk(
                message=chunk.message.model_copy(update={"content": text}), generation_info=chunk.generation_info
            )
            if run_manager is not None and text:
                await run_manager.on_llm_new_token(text, chunk=out)
            yield out
        if not ended:
            raise BrokeOff
        if held and thinking is None:
            yield ChatGenerationChunk(message=AIMessageChunk(content=held))


async def _put_together(pieces: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
    """Make of a stream's pieces the answer that would have come without streaming.

    The client's own models of the pieces would take ten times as long.

    Raises:
        APIError: the endpoint failed amid its answer.
        BrokeOff: it ends before the answer does.
    """
    text: dict[str, list[str]] = {"content": [], "refusal": []}
    calls: dict[int, dict[str, Any]] = {}
    about: dict[str, Any] = {}
    finish_reason = None
    async for piece in pieces:
        about |= {key: piece[key] for key in ("id", "model", "usage") if piece.get(key)}
        for choice in piece.get("choices") or []:
            finish_reason = choice.get("finish_reason") or finish_reason
            delta = choice.get("delta") or {}
            for kind, parts in text.items():
                parts.append(delta.get(kind) or "")
            for call in delta.get("tool_calls") or []:
                _add_call(calls, call)
    if finish_reason is None:
        raise BrokeOff
    message: dict[str, Any] = {"role": "assistant", **{kind: "".join(parts) or None for kind, parts in text.items()}}
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    return {**about, "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}]}


async def _pieces(response: AsyncAPIResponse[Any]) -> AsyncIterator[dict[str, Any]]:
    """Read the data of server-sent events.

    Raises:
        APIError: the endpoint failed amid its answer.
        BrokeOff: an event is not whole.
    """
    async for line in response.iter_lines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        try:
            piece = json.loads(data)
        except ValueError:
            raise BrokeOff from None
        if piece.get("error"):
            message = piece["error"].get("message") if isinstance(piece["error"], dict) else piece["error"]
            raise APIError(str(message), response.http_request, body=piece["error"])
        yield piece


def _add_call(calls: dict[int, dict[str, Any]], piece: dict[str, Any]) -> None:
    """Add a piece of a tool call; servers that do not number them send each whole."""
    place = piece["index"] if piece.get("index") is not None else len(calls)
    call = calls.setdefault(place, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
    call["id"] = piece.get("id") or call["id"]
    function = piece.get("function") or {}
    for part in ("name", "arguments"):
        call["function"][part] += function.get(part) or ""
