"""An answer without any language model, for where a limit leaves no room for one, or it gives none that can be used."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from schemas.evidence_view import EvidenceView
from services.models import offline
from services.models.offline.answers import answers

Answer = TypeVar("Answer", bound=BaseModel)


async def answer_by_rules(prompt: BaseModel) -> str:
    """Answer a prompt as the offline model does."""
    return await asyncio.to_thread(offline.answer, prompt)


async def ask_by_rules(
    prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Give the offline model's answer of a schema."""
    answer = schema.model_validate_json(await answer_by_rules(prompt))
    return check(answer) if check else answer


async def answers_by_rules(question: str, evidence: Sequence[EvidenceView]) -> bool:
    """Tell whether the offline model finds an answer to each part of a question in evidence, and sources do not differ on it."""
    return all(answer.whole and not answer.others for answer in await asyncio.to_thread(answers, question, evidence, 3))


async def sentences_by_rules(question: str, evidence: Sequence[EvidenceView], most: int) -> list[tuple[str, bool]]:
    """Return the sentences of evidence that the offline model would answer a question with, best first.

    Returns:
        Each with whether it answers its part of the question; else it is the nearest one.
    """
    return [
        (sentence.text, clause.whole)
        for clause in await asyncio.to_thread(answers, question, evidence, most)
        for sentence in (*clause.sentences, *clause.others)
    ]
