"""Parameters that an endpoint does not take: each is left out once it was refused, by runs and by checks alike."""

from collections.abc import Awaitable, Callable

from langchain_core.messages import AIMessage

from services.models.endpoint import learned
from services.models.transport import LEFT_OUT, Refused
from services.run.roles import RoleModel


async def without_refused(model: RoleModel, send: Callable[[], Awaitable[AIMessage]]) -> AIMessage:
    """Make a call, and again without each parameter that the endpoint refuses and that a call can do without.

    Args:
        model: who is called; what its endpoint refused is remembered in `learned(model)`.
        send: builds the call anew each time and makes it.

    Raises:
        Refused: the endpoint takes no such request for another reason.
        ModelError: it refuses a parameter that is left out already, or failed.
    """
    known = learned(model)
    while True:
        left_out = frozenset(known.refused)
        try:
            return await send()
        except Refused as refused:
            if refused.parameter not in LEFT_OUT:
                raise
            if refused.parameter in left_out:
                raise refused.error from None
            known.refused.add(refused.parameter)
