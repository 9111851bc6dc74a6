"""Having at hand what answers for a role's model: the process of a model file, which others need not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.models.endpoint_memory import learned
from services.models.llamacpp.serve import Served, server_of, serving
from services.run.roles import RoleModel

_told: dict[str, Served] = {}
"""By endpoint, the process whose context is known."""


@asynccontextmanager
async def at_hand(model: RoleModel) -> AsyncIterator[int | None]:
    """Keep the process of a model file while the block runs; gives the calls that it answers at once, None for other models.

    Raises:
        SettingsError: the model cannot be served here.
        ModelError: its process has ended unexpectedly, twice.
    """
    if model.file is None:
        yield None
        return
    async with serving(model.file, model.context_window) as served:
        if _told.get(model.endpoint) is not served:  # each process has a context of its own, whatever earlier ones had
            _told[model.endpoint] = served
            learned(model).context_window = served.context
        yield served.slots


def addressed(model: RoleModel) -> RoleModel:
    """Return a model file's model with the address and the key of its process, inside of `at_hand`."""
    if model.file is None:
        return model
    served = server_of(model.file)
    return model.model_copy(update={"base_url": served.base_url, "api_key": served.key})
