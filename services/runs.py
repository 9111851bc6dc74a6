"""What every node may ask of its runtime: the run's choices and the evidence store.

The server builds the context from the schema's defaults and brings a store; a plain `invoke` brings neither, and then the
defaults and a store in memory serve.
"""

from functools import cache

from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import ValidationError

from schemas.context import RunContext
from services.errors import BadInput
from services.evidence.store import EvidenceStore


def choices(runtime: Runtime[RunContext]) -> RunContext:
    """Return what this run chose.

    Raises:
        BadInput: a choice is impossible.
    """
    given = runtime.context
    if given is None:
        return RunContext()
    if isinstance(given, RunContext):
        return given
    return checked_choices(given)


def checked_choices(given: dict[str, object]) -> RunContext:
    """Check choices that came as plain data.

    Raises:
        BadInput: a choice is impossible; the message names it and its bounds.
    """
    try:
        return RunContext.model_validate(given)
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise BadInput(
            f"{field} cannot be {problem['input']!r}: {problem['msg'].removeprefix('Value error, ')}."
        ) from None


def evidence_of(runtime: Runtime[RunContext]) -> EvidenceStore:
    """Return the store of this run's texts."""
    return EvidenceStore(runtime.store if runtime.store is not None else _memory())


@cache
def _memory() -> BaseStore:
    return InMemoryStore()
