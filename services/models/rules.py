"""An answer without any language model, for where a limit leaves no room for one."""

from pydantic import BaseModel

from prompts import render


async def answer_by_rules(role: str, prompt: BaseModel) -> str:
    """Answer a role's prompt as the offline model does."""
    from services.models.offline import OfflineModel

    return (await OfflineModel(role=role).ainvoke(render(role, prompt), {"tags": ["nostream"]})).text
