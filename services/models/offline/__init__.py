"""The offline model: a deterministic, extractive chat model for those who have no key.

It reads the same rendered prompts as any other model and answers the same schemas, by rules: it plans by the facets of
the question, selects sentences, and writes only what sources say. It knows nothing of its own.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.utils import count_tokens_approximately
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import BaseModel

from services.models.offline.computing import write_code
from services.models.offline.extraction import extract
from services.models.offline.planning import plan
from services.models.offline.reflecting import reflect
from services.models.offline.reporting import report
from services.models.offline.sections import Prompt
from services.models.offline.triage import triage

ROLES: dict[str, Callable[[Prompt], BaseModel | str]] = {
    "coordinator": triage,
    "planner": plan,
    "researcher": extract,
    "coder": write_code,
    "reflector": reflect,
    "reporter": report,
}


class OfflineModel(BaseChatModel):
    """Answers by rules; the same prompt always gets the same answer."""

    role: str
    """Whose prompts it reads: a stem of `prompts/`."""

    @property
    def _llm_type(self) -> str:
        return "leadline-offline"

    def _answer(self, messages: list[BaseMessage]) -> str:
        human = next(message.text for message in messages if message.type == "human")
        answer = ROLES[self.role](Prompt(human))
        return answer if isinstance(answer, str) else answer.model_dump_json()

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = self._answer(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, usage_metadata=_usage(messages, text)))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await asyncio.to_thread(self._generate, messages, stop)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        text = await asyncio.to_thread(self._answer, messages)
        pieces = re.split(r"(?<=[\n。！？])|(?<=[.!?] )", text)
        for piece in (one for one in pieces if one):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager is not None:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
        yield ChatGenerationChunk(
            message=AIMessageChunk(content="", usage_metadata=_usage(messages, text), chunk_position="last")
        )


def _usage(messages: list[BaseMessage], text: str) -> UsageMetadata:
    """Count tokens as any provider would report them; approximate, as no tokenizer is involved."""
    read, wrote = count_tokens_approximately(messages), count_tokens_approximately([AIMessage(text)])
    return UsageMetadata(input_tokens=read, output_tokens=wrote, total_tokens=read + wrote)
