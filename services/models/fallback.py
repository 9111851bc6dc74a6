"""Answers by rules, without a language model, for when a limit leaves no room for a call or no answer can be used."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from schemas.evidence_view import EvidenceView
from services.models import offline
from services.models.offline.answers import answers

Answer = TypeVar("Answer", bound=BaseModel)


async def answer_by_rules(prompt: BaseModel) -> str:
    """Return the offline model's answer to a prompt."""
    return await asyncio.to_thread(offline.answer, prompt)


async def ask_by_rules(
    prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Return the offline model's answer that fits a schema."""
    answer = schema.model_validate_json(await answer_by_rules(prompt))
    return check(answer) if check else answer


async def answers_by_rules(question: str, evidence: Sequence[EvidenceView]) -> bool:
    """Tell whether the offline model finds an answer to each clause of a question in the evidence, without contradictions."""
    return all(answer.whole and not answer.others for answer in await asyncio.to_thread(answers, question, evidence, 3))


async def sentences_by_rules(question: str, evidence: Sequence[EvidenceView], most: int) -> list[tuple[str, bool]]:
    """Return the sentences with which the offline model would answer a question, best first.

    Returns:
        Pairs of a sentence and whether it answers its clause; otherwise it is only the closest sentence.
    """
    return [
        (sentence.text, clause.whole)
        for clause in await asyncio.to_thread(answers, question, evidence, most)
        for sentence in (*clause.sentences, *clause.others)
    ]
