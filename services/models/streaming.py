"""`ChatOpenAI` whose every answer comes piece by piece, so that a stall is noticed, and without what the model only thinks."""

import json
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai.chat_models.base import ChatOpenAI

from services.models.silence import heard
from services.models.thinking import CLOSE, OPEN


class BrokeOff(ConnectionError):
    """A stream that ended before the answer did."""

    def __init__(self) -> None:
        super().__init__("the answer broke off in its middle")


class PiecewiseChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` that asks for a stream also where the answer is wanted whole."""

    piecewise: bool = True
    """False for endpoints that take no request for a stream."""

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if not self.piecewise:
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        asked = {"stream": True, **({"stream_options": {"include_usage": True}} if self.stream_usage else {})}
        stream = await self.async_client.create(**(self._get_request_payload(messages, stop=stop, **kwargs) | asked))
        async with stream:
            if "event-stream" in stream.response.headers.get("content-type", ""):
                answer = await _put_together(stream)
            else:
                answer = json.loads(await stream.response.aread())
        result = self._create_chat_result(answer)
        result.generations[0].message.additional_kwargs["refusal"] = answer["choices"][0]["message"].get("refusal")
        return result

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
        async for chunk in super()._astream(messages, stop, None, **kwargs):
            heard()
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


async def _put_together(stream: AsyncIterator[Any]) -> dict[str, Any]:
    """Make of a stream's pieces the answer that would have come without streaming.

    Raises:
        BrokeOff: it ends before the answer does.
    """
    text: dict[str, list[str]] = {"content": [], "refusal": []}
    calls: dict[int, dict[str, Any]] = {}
    about: dict[str, Any] = {"id": "", "model": "", "usage": None}
    finish_reason = None
    async for piece in stream:
        heard()
        about |= {"id": piece.id, "model": piece.model}
        if piece.usage is not None:
            about["usage"] = piece.usage.model_dump()
        for choice in piece.choices or []:
            finish_reason = choice.finish_reason or finish_reason
            for kind, said in text.items():
                said.append(getattr(choice.delta, kind, None) or "")
            for call in getattr(choice.delta, "tool_calls", None) or []:
                _add_call(calls, call)
    if finish_reason is None:
        raise BrokeOff
    message: dict[str, Any] = {"role": "assistant", **{kind: "".join(said) or None for kind, said in text.items()}}
    if calls:
        message["tool_calls"] = [calls[place] for place in sorted(calls)]
    return {
        **about,
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
    }


def _add_call(calls: dict[int, dict[str, Any]], piece: Any) -> None:
    """Add a piece of a tool call; servers that do not number them send each whole."""
    place = piece.index if piece.index is not None else len(calls)
    empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
    known = calls.setdefault(place, empty)
    known["id"] = piece.id or known["id"]
    if piece.function is not None:
        known["function"]["name"] += piece.function.name or ""
        known["function"]["arguments"] += piece.function.arguments or ""
