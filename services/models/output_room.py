"""Computes the token limits of a call: the context, and its share for the answer and the reasoning before it."""

from services.models.endpoint_memory import Learned
from services.run.roles import CONTEXT_WINDOW, DEFAULTS, RoleModel

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


def window_of(model: RoleModel, known: Learned) -> int:
    """Return the number of tokens that prompt and answer may have together."""
    wanted = model.context_window or CONTEXT_WINDOW
    return min(wanted, known.context_window or wanted)


def output_room(model: RoleModel, known: Learned, scale: float, room: int) -> int:
    """Return the maximum number of tokens of an answer, including its reasoning.

    Args:
        model: the role's model.
        known: facts learned about it.
        scale: factor on the role's maximum number of output tokens, for long answers.
        room: further factor after an answer that was cut off.
    """
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
