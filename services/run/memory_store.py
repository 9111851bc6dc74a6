"""Memory of a user's reports, in the run's store, in a namespace of the user alone.

The namespace holds a hash of the user's name, so that no name is the beginning of another.
"""

import asyncio
import hashlib
from collections.abc import Collection, Iterable

from langgraph.store.base import BaseStore
from pydantic import ValidationError

from schemas.memory import MAX_BYTES, MAX_ENTRIES, MAX_ENTRY_BYTES, MemoryEntry
from services.run.errors import StoreUnwritable
from services.run.log import WARNING, log
from services.run.settings import Settings
from services.run.ui_text import say
from services.run.users import LOCAL, current_user
from services.text.tokens import pieces

_PAGE = 500


def memory_owner(environment: Settings) -> str | None:
    """Return the user whose memory a run uses; None if the server has users and recognised none: then there is no memory."""
    has_users = environment.leadline_tokens is not None or environment.leadline_tokens_file is not None
    return current_user() or (None if has_users else LOCAL)


def entry_id(claim: str) -> str:
    """Return the id of a statement, which depends on its words only, not on spaces or marks between them."""
    words = " ".join(pieces(claim)) or claim
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _place(user: str) -> tuple[str, str]:
    return "memory", hashlib.sha256(user.encode()).hexdigest()[:32]


async def memory_of(store: BaseStore, user: str) -> list[MemoryEntry]:
    """Return a user's remembered statements, newest first."""
    place, entries, seen = _place(user), list[MemoryEntry](), 0
    while items := await store.asearch(place, limit=_PAGE, offset=seen):
        seen += len(items)
        for item in items:
            if tuple(item.namespace) == place:
                try:
                    entries.append(MemoryEntry.model_validate(item.value))
                except ValidationError:
                    log("memory_unreadable", WARNING)  # an entry of an older version, in another form
    return sorted(entries, key=lambda entry: (entry.known_from, entry.run, entry.id), reverse=True)


async def remember(store: BaseStore, user: str, entries: Iterable[MemoryEntry]) -> int:
    """Remember statements, and return how many are new or have a new proof. The oldest are deleted at the bounds.

    Raises:
        StoreUnwritable: the store cannot be written.
    """
    known = {entry.id: entry for entry in await memory_of(store, user)}
    added = {
        entry.id: entry
        for entry in entries
        if entry.size <= MAX_ENTRY_BYTES and (entry.id not in known or known[entry.id].known_from < entry.known_from)
    }
    left = await asyncio.to_thread(_within_bounds, [*{**known, **added}.values()])
    place = _place(user)
    writes = [
        store.aput(place, key, entry.model_dump(mode="json"), index=False)
        for key, entry in added.items()
        if key in left
    ]
    try:
        await asyncio.gather(*writes, *(store.adelete(place, key) for key in known if key not in left))
    except Exception as error:
        raise StoreUnwritable(say("store_memory"), error) from error
    return len(writes)


def _within_bounds(entries: Iterable[MemoryEntry]) -> set[str]:
    left: set[str] = set()
    room = MAX_BYTES
    for entry in sorted(entries, key=lambda entry: (entry.known_from, entry.run, entry.id), reverse=True):
        room -= entry.size
        if room < 0 or len(left) == MAX_ENTRIES:
            break
        left.add(entry.id)
    return left


async def forget(store: BaseStore, user: str, ids: Collection[str]) -> None:
    """Delete statements of a user; unknown ids are ignored."""
    await asyncio.gather(*(store.adelete(_place(user), key) for key in ids))


async def forget_all(store: BaseStore, user: str) -> int:
    """Delete all statements of a user, including unreadable entries, and return their number."""
    place, count = _place(user), 0
    while items := await store.asearch(place, limit=_PAGE):
        await asyncio.gather(*(store.adelete(place, item.key) for item in items))
        count += len(items)
    return count
