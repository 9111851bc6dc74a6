"""How much evidence one prompt is given: less than the depth would have it where the model's window is small or little is left to spend."""

from pydantic import BaseModel

from services.models.endpoint_memory import learned, load_learned
from services.models.local_endpoint import settled
from services.models.output_room import window_of
from services.run.roles import OFFLINE, role_model
from services.run.scope import Run

OF_WINDOW = 3
"""Evidence has at most this part of the window: one third. Instructions, findings and the answer need the rest."""
OF_BUDGET = 2
"""And at most this part of the tokens that are left: one half."""
LEAST = 300


class _Tokens(BaseModel):
    tokens: int


async def evidence_tokens(run: Run, role: str, wanted: int) -> int:
    """Return how many tokens of evidence a role's prompt is given; a replay, which knows no model, gives as many.

    Args:
        run: whose model, budget and journal count.
        role: who is asked.
        wanted: what the depth would have.
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
