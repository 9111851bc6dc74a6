"""What lies beside a thread: attachments, versions of its report, and the journal, the messages and the pages of each turn."""

import asyncio
import shutil
from collections.abc import Iterable

from langgraph.store.base import BaseStore

from services.run.choices import NOTES
from services.run.journal import run_key
from services.search.thread_documents import attachments_of

OF_TURNS = ("journal", "branches", "steering", "pages")
"""First parts of the namespaces whose second part is the key of a turn."""
_PAGE = 500


async def delete_thread_data(store: BaseStore, thread: str, turns: Iterable[int]) -> None:
    """Delete what lies beside a thread. Texts of sources stay, which other threads may cite.

    Args:
        store: store of the runs.
        thread: id of the thread.
        turns: all turns of the thread.
    """
    await asyncio.to_thread(shutil.rmtree, attachments_of(thread).parent, ignore_errors=True)
    keys = [run_key(thread, turn) for turn in turns]
    for place in [("versions", thread), *((kind, key) for key in keys for kind in OF_TURNS)]:
        while items := await store.asearch(place, limit=_PAGE):
            await asyncio.gather(*(store.adelete(item.namespace, item.key) for item in items))
    await asyncio.gather(*(store.adelete(NOTES, key) for key in keys))
