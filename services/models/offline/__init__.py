"""The offline model: shows the passages closest to a question, for runs without a key, and answers nothing itself.

It takes the same prompt models as any other model and answers the same schemas, in the simplest way that lets the graph run.
The same prompt always gets the same answer.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import BaseModel

from schemas.coordinator import CoordinatorPrompt
from schemas.evidence import Contradiction
from schemas.planner import PlannerPrompt
from schemas.reflector import ReflectorPrompt
from schemas.reporter import ReporterPrompt
from schemas.researcher import ResearcherPrompt
from services.models.offline.closest import differing_figures
from services.models.offline.report import report
from services.models.offline.steps import extract, plan, reflect, triage
from services.run.errors import ModelError
from services.run.ui_text import told

_BY_PROMPT: dict[type[BaseModel | None], Callable[[Any], BaseModel | str]] = {
    CoordinatorPrompt: triage, PlannerPrompt: plan, ResearcherPrompt: extract, ReflectorPrompt: reflect, ReporterPrompt: report,
}  # fmt: skip


def answer(prompt: BaseModel | None) -> str:
    """Answer a prompt: a report as Markdown, everything else as JSON of the role's schema.

    Raises:
        ModelError: the prompt needs a language model, such as one for a program.
    """
    if type(prompt) not in _BY_PROMPT:
        raise ModelError(**told("no_model"))
    reply = _BY_PROMPT[type(prompt)](prompt)
    return reply if isinstance(reply, str) else reply.model_dump_json()


class OfflineModel(BaseChatModel):
    """Answers one prompt as a chat model does; the messages, which that prompt was rendered into, are only counted."""

    prompt: BaseModel | None
    """What is asked: the prompt model of a role."""

    @property
    def _llm_type(self) -> str:
        return "leadline-offline"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = answer(self.prompt)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, usage_metadata=_usage()))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        text = await asyncio.to_thread(answer, self.prompt)
        for piece in filter(None, re.split(r"(?<=[\n。！？])|(?<=[.!?] )", text)):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager is not None:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
        usage = _usage()
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage, chunk_position="last"))


def _usage() -> UsageMetadata:
    """Return the tokens of a call without a model: none, by which displays tell it from one of a model."""
    return UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0)


def differences(prompt: ReporterPrompt) -> list[Contradiction]:
    """Return the figures in which the closest passages of a report's evidence differ."""
    evidence = [*(excerpt for finding in prompt.findings for excerpt in finding.evidence), *prompt.background]
    return differing_figures(prompt.question, evidence)
