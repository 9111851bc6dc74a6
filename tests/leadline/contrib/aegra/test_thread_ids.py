"""The id of a thread that was deleted on Aegra stays its owner's."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from langgraph_sdk import Auth

from leadline.server.accounts import Accounts
from leadline.server.auth import own_threads
from leadline.server.thread_owners import mark_deleted


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> InMemoryStore:
    """Return the store of a process that looks like Aegra's."""
    kept, database = InMemoryStore(), ModuleType("aegra_api.core.database")
    database.db_manager = SimpleNamespace(get_store=lambda: kept)  # type: ignore[attr-defined]  # a module made here
    for name in ("aegra_api", "aegra_api.core", "aegra_api.main"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "aegra_api.core.database", database)
    accounts = Accounts(((b"1", "ada"), (b"2", "grace")))
    monkeypatch.setattr("leadline.server.auth.RULES", SimpleNamespace(accounts=accounts))
    return kept


@pytest.mark.parametrize("action", ["create", "create_run"])
async def test_the_id_of_a_deleted_thread_is_refused_to_others(store: InMemoryStore, action: str) -> None:
    await mark_deleted(store, "thread", "ada")

    async def asked(user: str, thread: str | None) -> object:
        context: Any = SimpleNamespace(user=SimpleNamespace(identity=user), action=action)
        value: Any = {"thread_id": thread}
        return await own_threads(ctx=context, value=value)

    assert await asked("ada", "thread") == {"owner": "ada"}
    assert await asked("grace", "another") == await asked("grace", None) == {"owner": "grace"}
    with pytest.raises(Auth.exceptions.HTTPException) as refused:
        await asked("grace", "thread")
    assert refused.value.status_code == (409 if action == "create" else 404)
