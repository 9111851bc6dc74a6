"""How many tokens a call may take: the context, and of it the room for an answer and for the reasoning before it."""

from services.models.endpoint_memory import Learned
from services.run.roles import CONTEXT_WINDOW, DEFAULTS, RoleModel

OUTPUT_SHARE = 4
"""Answer and reasoning have at most this part of the context: one fourth."""
OUTPUT_SHARE_THINKING = 2
"""Likewise, of a model that is known to reason: one half."""
THINKING_ROOM = 4_096
"""Tokens for reasoning, besides the answer's, while it is not known whether a model reasons: a call costs what is used."""
MOST_THINKING = 32_768
"""Tokens that the room for reasoning never exceeds."""
MARGIN = 64
"""Tokens kept free for what estimates miss."""
MORE_ROOM = 4
"""By how much the room of an answer grows when it was cut off."""


def window_of(model: RoleModel, known: Learned) -> int:
    """Return the tokens that prompt and answer may have together."""
    wanted = model.context_window or CONTEXT_WINDOW
    return min(wanted, known.context_window or wanted)


def output_room(model: RoleModel, known: Learned, scale: float, room: int) -> int:
    """Return the most tokens of an answer, with the reasoning before it.

    Args:
        model: who answers.
        known: what was learned of it.
        scale: by how much the role's most tokens are multiplied, for answers that are longer by nature.
        room: likewise, after an answer that was cut off.
    """
    share = OUTPUT_SHARE if known.thinking in {"unknown", "none"} else OUTPUT_SHARE_THINKING
    wanted = int(model.max_tokens * scale) * room + thinking_room(model, known)
    return min(wanted, window_of(model, known) // share, known.max_output or wanted)


def thinking_room(model: RoleModel, known: Learned) -> int:
    """Return the tokens for reasoning: none where the model does not reason, or where somebody chose the most tokens of the answer."""
    if known.thinking == "none":
        return 0
    if known.thinking == "unknown":
        chosen = model.max_tokens != DEFAULTS.get(model.role, (0.0, model.max_tokens))[1]
        return 0 if chosen else THINKING_ROOM
    return min(MOST_THINKING, max(THINKING_ROOM, 2 * known.thinking_tokens))
