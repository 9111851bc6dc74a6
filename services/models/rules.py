"""An answer without any language model, for where a limit leaves no room for one, or it gives none that can be used."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel

from prompts import render

Answer = TypeVar("Answer", bound=BaseModel)


async def answer_by_rules(role: str, prompt: BaseModel) -> str:
    """Answer a role's prompt as the offline model does."""
    from services.models.offline import OfflineModel

    return (await OfflineModel(role=role).ainvoke(render(role, prompt), {"tags": ["nostream"]})).text


async def ask_by_rules(
    role: str, prompt: BaseModel, schema: type[Answer], check: Callable[[Answer], Answer] | None = None
) -> Answer:
    """Give the answer of a schema that the offline model gives; takes what `ask` takes."""
    answer = schema.model_validate_json(await answer_by_rules(role, prompt))
    return check(answer) if check else answer
