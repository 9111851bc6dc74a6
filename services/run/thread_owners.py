"""The owner of every thread id that a server has had, in the store: an id that a user has had is never another user's.

The owner is written before anything is stored under the id, and stays when the thread is deleted. So nothing that is stored under an id
(checkpoints, versions, attachments, journals) is reached by anybody else, whatever is left of it after a deletion or a crash.
"""

from langgraph.store.base import BaseStore
from pydantic import BaseModel

from services.run.errors import BadInput
from services.run.users import LOCAL

OWNERS = ("owners",)
"""Namespace of the claims; their keys are the ids."""


class ThreadOwner(BaseModel):
    """What is written down of a thread id."""

    owner: str
    deleted: bool = False


async def claim_of(store: BaseStore, thread: str) -> ThreadOwner | None:
    """Return the claim on a thread id, if there is one."""
    item = await store.aget(OWNERS, thread)
    return None if item is None else ThreadOwner.model_validate(item.value)


async def write_claim(store: BaseStore, thread: str, claim: ThreadOwner) -> None:
    """Write down the claim on a thread id."""
    await store.aput(OWNERS, thread, claim.model_dump(), index=False)


async def claim_for_run(store: BaseStore, thread: str, user: str) -> None:
    """Write down the owner of a run's thread before the run stores anything: a server makes the thread of a stateless run itself.

    Args:
        store: store of the run.
        thread: id of the thread.
        user: the caller whom the server recognised, `LOCAL` on a server without tokens.

    Raises:
        BadInput: the id is another user's.
    """
    claim = await claim_of(store, thread)
    if claim is None:
        await write_claim(store, thread, ThreadOwner(owner=user))
    elif user not in {claim.owner, LOCAL}:
        raise BadInput(f"Thread with ID {thread} not found.")
