"""An answer without any language model, for where a limit leaves no room for one, or it gives none that can be used."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from pydantic import BaseModel

from prompts import render
from schemas.evidence_view import EvidenceView
from services.models.fitting import off_loop

Answer = TypeVar("Answer", bound=BaseModel)


async def answer_by_rules(role: str, prompt: BaseModel) -> str:
    """Answer a role's prompt as the offline model does."""
    from services.models.offline import OfflineModel

    messages = await off_loop(role, partial(render, role, prompt))
    return (await OfflineModel(role=role).ainvoke(messages, {"tags": ["nostream"]})).text


async def ask_by_rules(
    role: str, prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Give the answer of a schema that the offline model gives; takes what `ask` takes."""
    answer = schema.model_validate_json(await answer_by_rules(role, prompt))
    return check(answer) if check else answer


async def answers_by_rules(question: str, evidence: Sequence[EvidenceView]) -> bool:
    """Tell whether the offline model finds an answer to each part of a question in evidence."""
    from services.models.offline.answering import answer
    from services.models.offline.sections import Evidence

    shown = [Evidence(one.id, one.title, one.kind, one.quote, "", one.relevance) for one in evidence]
    return all(one.whole and not one.joined for one in await asyncio.to_thread(answer, question, shown, 3))
