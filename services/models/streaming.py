"""`ChatOpenAI`, whose streams leave out what the model only thinks, and cost little a token."""

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai.chat_models.base import ChatOpenAI
from openai import AsyncOpenAI, AsyncStream
from openai.resources.chat.completions import AsyncCompletions
from pydantic import model_validator

from services.models.thinking import CLOSE, OPEN


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


class ThinkFreeChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` whose streams leave out a leading thinking part."""

    @model_validator(mode="after")
    def _plain(self) -> "ThinkFreeChatOpenAI":
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
