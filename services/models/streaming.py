"""`ChatOpenAI`, whose streams leave out what the model only thinks."""

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai.chat_models.base import ChatOpenAI

from services.models.thinking import CLOSE, OPEN


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
        if held and thinking is None:
            yield ChatGenerationChunk(message=AIMessageChunk(content=held))
