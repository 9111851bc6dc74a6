"""Keeps the local process of a model file running while a call needs it; other models need no process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.models.endpoint_memory import learned
from services.models.llamacpp.serve import Served, server_of, serving
from services.run.roles import RoleModel

_told: dict[str, Served] = {}
"""Processes whose context size is already stored, by endpoint."""


@asynccontextmanager
async def at_hand(model: RoleModel) -> AsyncIterator[int | None]:
    """Keep the process of a model file running while the block runs; yields its number of concurrent requests, None for other models.

    Raises:
        SettingsError: the model cannot be served here.
        ModelError: its process has ended unexpectedly, twice.
    """
    if model.file is None:
        yield None
        return
    async with serving(model.file, model.context_window) as served:
        if _told.get(model.endpoint) is not served:  # each process has its own context, independent of earlier ones
            _told[model.endpoint] = served
            learned(model).context_window = served.context
        yield served.slots


def addressed(model: RoleModel) -> RoleModel:
    """Return a model with the address and key of its process; call it inside `at_hand`."""
    if model.file is None:
        return model
    served = server_of(model.file)
    return model.model_copy(update={"base_url": served.base_url, "api_key": served.key})
