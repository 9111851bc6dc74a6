"""Computes how many tokens of evidence a prompt gets: less than the depth asks for if the window or the budget is small."""

from pydantic import BaseModel

from services.models.endpoint_memory import learned, load_learned
from services.models.local_endpoint import settled
from services.models.output_room import window_of
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run

OF_WINDOW = 3
"""Divisor of the window: evidence gets at most a third of it. Instructions, findings and the answer need the rest."""
OF_BUDGET = 2
"""Divisor of the remaining tokens: evidence gets at most half of them."""
LEAST = 300


class _Tokens(BaseModel):
    tokens: int


async def evidence_tokens(run: Run, role: str, wanted: int) -> int:
    """Return the tokens of evidence for a role's prompt; a replay, which knows no model, returns the recorded number.

    Args:
        run: the run with its model, budget and journal.
        role: the role whose prompt is built.
        wanted: tokens that the depth asks for.
    """

    async def work() -> _Tokens:
        bounds = [wanted]
        room = run.budget.room()
        if room is not None:
            bounds.append(room // OF_BUDGET)
        model = role_model(role, run.context)
        if model.provider != OFFLINE:
            await load_learned()
            model = await settled(model)
            bounds.append(window_of(model, learned(model)) // OF_WINDOW)
        return _Tokens(tokens=max(LEAST, min(bounds)))

    return (await run.journal.once("portion", role, {"wanted": wanted}, _Tokens, work)).answer.tokens
