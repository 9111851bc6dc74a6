"""The user of a run, whom the server recognised by a token, if it has users; and the owner of every thread id that a server has had.

The owner is written before anything is stored under the id, and stays when the thread is deleted. So nothing that is stored under an id
(checkpoints, versions, attachments, journals) is reached by anybody else, whatever is left of it after a deletion or a crash.
"""

from collections.abc import Mapping
from pathlib import Path

from langgraph.store.base import BaseStore
from pydantic import BaseModel

from services.run.errors import BadInput
from services.run.message_forms import run_configuration
from services.run.settings import Settings

LOCAL = "local"
"""The user of a server without tokens: the person at this machine."""
OWNERS = ("owners",)
"""Namespace of the claims; their keys are the ids."""


def current_user() -> str:
    """Return the name of the current run's user; empty outside of runs and without users.

    The server writes it into the run's configuration itself, replacing a client's values: LangGraph writes the user and
    their name, Aegra only the user.
    """
    name = caller_in(run_configuration())
    return "" if name == LOCAL else name


def caller_in(configurable: Mapping[str, object]) -> str:
    """Return the caller whom a server wrote into a run's configuration, `LOCAL` without tokens; empty outside of servers."""
    user = configurable.get("langgraph_auth_user")
    if user is None:
        return str(configurable.get("langgraph_auth_user_id") or "")
    identity = user.get("identity") if isinstance(user, Mapping) else getattr(user, "identity", None)
    return str(identity or "")


def own_folder(environment: Settings) -> list[Path]:
    """Return the folder of the current user's documents, if the operator gives users folders and it exists. Blocking."""
    name = current_user()
    if environment.leadline_user_docs is None or not name:
        return []
    folder = environment.leadline_user_docs / name
    return [folder] if folder.is_dir() and any(folder.iterdir()) else []


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

    Raises:
        BadInput: the id is another user's.
    """
    claim = await claim_of(store, thread)
    if claim is None:
        await write_claim(store, thread, ThreadOwner(owner=user))
    elif user not in {claim.owner, LOCAL}:
        raise BadInput(f"Thread with ID {thread} not found.")
