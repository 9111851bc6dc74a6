"""The offline model's answers, for when a limit leaves no room for a call or no answer can be used."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

Answer = TypeVar("Answer", bound=BaseModel)


async def answer_by_rules(prompt: BaseModel) -> str:
    """Return the offline model's answer to a prompt."""
    from services.models import offline

    return await asyncio.to_thread(offline.answer, prompt)


async def ask_by_rules(
    prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Return the offline model's answer that fits a schema."""
    answer = schema.model_validate_json(await answer_by_rules(prompt))
    return check(answer) if check else answer
