"""Claims thread ids for users before the server makes the threads, and restores the server's list of threads from the claims.

The dev server writes down its threads every ten seconds only; what a crash takes from its list is taken from the claims
(`services.run.users`) when it starts again.
"""

import asyncio

from langgraph.store.base import BaseStore
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from leadline.server.api_client import aegra_store, on_aegra, store_of
from services.run.users import LOCAL, OWNERS, ThreadOwner, claim_of, write_claim

OWNER = "owner"
"""Key of the owner in a thread's metadata."""
GRAPH = "deep_research"
_PAGE = 500
_claiming = asyncio.Lock()
"""Lets one request at a time look up an id and claim it."""


async def claim_thread(thread: str, user: str, *, creates: bool, everything: bool) -> bool:
    """Write down the owner of a thread id, unless it has one; tell whether the user may have the id.

    Args:
        thread: id of the thread.
        user: who asks for it.
        creates: whether the request makes the thread if it does not exist.
        everything: whether everything on this server is the user's, as without tokens.
    """
    if on_aegra():  # its own tables have the owners of threads that are not deleted
        claim = await claim_of(aegra_store(), thread)
        return claim is None or everything or claim.owner == user
    async with get_client() as client, _claiming:
        store = store_of(client)
        claim = await claim_of(store, thread)
        if claim is None:
            claim = await _first_claim(client, thread, user if creates else None, everything)
        elif claim.deleted and creates and (everything or claim.owner == user):
            claim.deleted = False
        else:
            return everything or claim.owner == user
        if claim is not None:
            await write_claim(store, thread, claim)
    return claim is None or everything or claim.owner == user


async def _first_claim(client: LangGraphClient, thread: str, user: str | None, everything: bool) -> ThreadOwner | None:
    """Return the claim on an id that has none: of an earlier version's thread by its metadata, else the user's."""
    try:
        metadata = (await client.threads.get(thread))["metadata"] or {}
    except NotFoundError:
        return None if user is None else ThreadOwner(owner=user)
    owner = metadata.get(OWNER) or (LOCAL if everything else None)
    return None if owner is None else ThreadOwner(owner=str(owner))


async def mark_deleted(store: BaseStore, thread: str, user: str) -> None:
    """Write down that a thread was deleted; its id stays its owner's.

    Where nobody is written down, it becomes that of the user who deletes it.
    """
    async with _claiming:
        claim = await claim_of(store, thread) or ThreadOwner(owner=user)
        claim.deleted = True
        await write_claim(store, thread, claim)


async def restore_threads(client: LangGraphClient) -> None:
    """Bring the server's list of threads up to date with what is written down, after a crash."""
    listed: set[str] = set()
    while page := await client.threads.search(
        limit=_PAGE, offset=len(listed), select=["thread_id"], sort_by="created_at"
    ):
        listed.update(str(thread["thread_id"]) for thread in page)
    store, seen = store_of(client), 0
    while items := await store.asearch(OWNERS, limit=_PAGE, offset=seen):
        seen += len(items)
        for item in items:
            claim = ThreadOwner.model_validate(item.value)
            if claim.deleted and item.key in listed:
                await client.threads.delete(item.key)
            elif not claim.deleted and item.key not in listed:
                await _restore(client, item.key, claim.owner)


async def _restore(client: LangGraphClient, thread: str, owner: str) -> None:
    """Put a thread back on the server's list, titled by its latest question."""
    owned = {} if owner == LOCAL else {OWNER: owner}
    await client.threads.create(thread_id=thread, graph_id=GRAPH, metadata=owned)
    values = (await client.threads.get_state(thread))["values"]
    question = values.get("question") if isinstance(values, dict) else None
    await client.threads.update(thread, metadata={"title": str(question or "")})
