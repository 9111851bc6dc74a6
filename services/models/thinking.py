"""Reasoning that a model shows between `<think>` and `</think>` is no part of its answer, streamed or not."""

import re
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

_OPEN, _CLOSE = "<think>", "</think>"
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)


def without_thinking(text: str) -> str:
    """Return a text without its thinking parts, also where the opening tag is missing or the closing one never came."""
    text = _THOUGHT.sub("", text)
    _, closed, rest = text.rpartition(_CLOSE)
    text = rest if closed else text
    return text.partition(_OPEN)[0].strip()


class ThinkFreeChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` whose streams leave out a leading thinking part."""

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        held = ""
        thinking: bool | None = None
        async for chunk in super()._astream(messages, stop, None, **kwargs):
            text = chunk.text
            if thinking is None and text:
                held += text
                begun = held.lstrip().lower()
                if _OPEN.startswith(begun) or not begun:
                    continue
                thinking = begun.startswith(_OPEN)
                text, held = ("", held) if thinking else (held, "")
            elif thinking:
                held += text
                text = ""
            if thinking and _CLOSE in held:
                text, held, thinking = held.partition(_CLOSE)[2].lstrip(), "", False
            out = ChatGenerationChunk(
                message=chunk.message.model_copy(update={"content": text}), generation_info=chunk.generation_info
            )
            if run_manager is not None and text:
                await run_manager.on_llm_new_token(text, chunk=out)
            yield out
        if held and thinking is None:
            yield ChatGenerationChunk(message=AIMessageChunk(content=held))
