"""Computes the token limits of a call: the context, and its shares for evidence, the answer and the reasoning before it."""

from pydantic import BaseModel

from services.models.endpoint_memory import Learned, learned, load_learned
from services.models.local_endpoint import settled
from services.run.roles import CONTEXT_WINDOW, DEFAULTS, OFFLINE, RoleModel, role_model
from services.run.scope import Run

OUTPUT_SHARE = 4
"""Divisor of the context: answer and reasoning get at most a fourth of it."""
OUTPUT_SHARE_THINKING = 2
"""Divisor for a model that is known to reason: one half."""
THINKING_ROOM = 4_096
"""Tokens for reasoning in addition to the answer's, while it is unknown whether a model reasons: only used tokens cost."""
MOST_THINKING = 32_768
"""Upper bound of the tokens for reasoning."""
MARGIN = 64
"""Tokens kept free for errors of the estimates."""
MORE_ROOM = 4
"""Factor on the room of an answer after it was cut off."""
EVIDENCE_OF_WINDOW = 3
"""Divisor of a small window: evidence gets at most a third of it. Instructions, findings and the answer need the rest."""
BESIDE_EVIDENCE = 16_000
"""Tokens for the rest in a large window, of which evidence gets at most half."""
EVIDENCE_OF_BUDGET = 2
"""Divisor of the remaining tokens: evidence gets at most half of them."""
INSTRUCTIONS = 2_000
"""Tokens of a prompt besides its evidence, about; with a fourth for the answer, a window below 6,000 has less than a third for evidence."""
LEAST_EVIDENCE = 300


def window_of(model: RoleModel, known: Learned) -> int:
    """Return the number of tokens that prompt and answer may have together."""
    wanted = model.context_window or CONTEXT_WINDOW
    return min(wanted, known.context_window or wanted)


def output_room(model: RoleModel, known: Learned, scale: float, room: int) -> int:
    """Return the maximum tokens of an answer with its reasoning: `scale` is for long answers, `room` for one that was cut off before."""
    share = OUTPUT_SHARE if known.thinking in {"unknown", "none"} else OUTPUT_SHARE_THINKING
    wanted = int(model.max_tokens * scale) * room + thinking_room(model, known)
    return min(wanted, window_of(model, known) // share, known.max_output or wanted)


def thinking_room(model: RoleModel, known: Learned) -> int:
    """Return the tokens for reasoning: none if the model does not reason, or if the user set the maximum tokens of the answer."""
    if known.thinking == "none":
        return 0
    if known.thinking == "unknown":
        chosen = model.max_tokens != DEFAULTS.get(model.role, (0.0, model.max_tokens))[1]
        return 0 if chosen else THINKING_ROOM
    return min(MOST_THINKING, max(THINKING_ROOM, 2 * known.thinking_tokens))


class _Tokens(BaseModel):
    tokens: int


async def evidence_tokens(run: Run, role: str, wanted: int) -> int:
    """Return the tokens of evidence for a role's prompt, at most what the depth wants; a replay, which knows no model, returns the recorded number."""

    async def work() -> _Tokens:
        bounds = [wanted]
        room = run.budget.room()
        if room is not None:
            bounds.append(room // EVIDENCE_OF_BUDGET)
        model = role_model(role, run.context)
        if model.provider != OFFLINE:
            await load_learned()
            model = await settled(model)
            window = window_of(model, learned(model))
            large = min(window // 2, window - BESIDE_EVIDENCE)
            bounds += [max(window // EVIDENCE_OF_WINDOW, large), window - window // OUTPUT_SHARE - INSTRUCTIONS]
        return _Tokens(tokens=max(LEAST_EVIDENCE, min(bounds)))

    return (await run.journal.once("portion", role, {"wanted": wanted}, _Tokens, work)).answer.tokens
