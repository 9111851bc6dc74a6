"""A thread's id is its first user's for ever, also after its deletion and after a crash, and deletion deletes everything."""

import asyncio
import os
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, NotFoundError

from leadline.server.attachments import remove_abandoned
from services.run.settings import forget_settings
from tests.server.conftest import GRAPH, USERS, dev_server, papers, researched, thread_of, until_written_down, user
from tests.server.test_revising import change

QUESTION = "Who designed the wire sounding machine, and who owned the schooner Lalla Rookh?"


async def with_everything(api: LangGraphClient, web: httpx.AsyncClient) -> str:
    """Make a thread with a report, a changed version of it, and an attached file."""
    thread, _ = await researched(api, QUESTION)
    assert (await web.put(f"/attachments/{thread}/note.md", content="# A secret note\n")).status_code == 200
    await change(api, thread, request="Shorter", shorten=True)
    assert len((await web.get(f"/reports/{thread}/versions.json")).json()) == 2
    return thread


async def of_a_stateless_run(api: LangGraphClient, web: httpx.AsyncClient) -> str:
    """Make a run without a thread whose thread the server keeps, and attach a file to that."""
    run: Any = await api.runs.create(None, GRAPH, input={"question": QUESTION}, on_completion="keep")
    await api.runs.join(run["thread_id"], run["run_id"])
    assert (await web.put(f"/attachments/{run['thread_id']}/note.md", content="# A secret note\n")).status_code == 200
    return str(run["thread_id"])


async def refused(api: LangGraphClient, web: httpx.AsyncClient, thread: str) -> None:
    """Make sure that a user gets hold of an id in none of the ways."""
    existing: Literal["raise", "do_nothing"]
    for existing in ("raise", "do_nothing"):
        with pytest.raises(APIStatusError):
            await api.threads.create(thread_id=thread, if_exists=existing)
    with pytest.raises((NotFoundError, httpx.HTTPStatusError)):
        await api.runs.wait(thread, GRAPH, input={"question": QUESTION}, if_not_exists="create")
    for path in (f"/attachments/{thread}", f"/reports/{thread}/versions.json", f"/threads/{thread}/state"):
        assert (await web.get(path)).status_code == 404


def mentions(home: Path, thread: str) -> list[str]:
    """Return what the home folder still holds under a thread's id."""
    found = [str(path) for path in (home / "home").rglob("*") if path.is_file() and thread in str(path)]
    for name, table, column in (("checkpoints", "checkpoints", "thread_id"), ("store", "store", "prefix")):
        with closing(sqlite3.connect(home / "home" / f"{name}.sqlite")) as file:
            rows = file.execute(f"SELECT {column} FROM {table} WHERE {column} LIKE ?", (f"%{thread}%",))  # noqa: S608 - constants
            found += [f"{name}: {row}" for row in rows]
    return found


async def _until_nothing_mentions(home: Path, thread: str) -> None:
    """Wait until the home folder holds nothing of a thread: its checkpoints go a moment after the answer."""
    for _ in range(100):
        if not (left := await asyncio.to_thread(mentions, home, thread)):
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"there is still {left}")


JOURNALS = ("journal", "branches", "steering", "pages", "choices")


def journaled(home: Path) -> int:
    """Return how many entries the journals of all turns have."""
    with closing(sqlite3.connect(home / "home" / "store.sqlite")) as file:
        kinds = " OR ".join(f"prefix LIKE '{kind}%'" for kind in JOURNALS)
        return int(file.execute(f"SELECT count(*) FROM store WHERE {kinds}").fetchone()[0])  # noqa: S608 - constants


@pytest.mark.parametrize("way", ["delete", "prune", "assistant"])
async def test_a_deleted_thread_leaves_nothing_and_its_id_is_never_another_users(
    guarded: tuple[str, Path], way: str
) -> None:
    address, home = guarded
    async with user(address, "ada") as (ada, hers), user(address, "grace") as (grace, others):
        before = journaled(home)
        thread = await with_everything(ada, hers)
        assert journaled(home) > before
        await refused(grace, others, thread)
        if way == "delete":
            await ada.threads.delete(thread)
        elif way == "prune":
            answer = await hers.post("/threads/prune", json={"thread_ids": [thread], "strategy": "delete"})
            assert answer.json() == {"pruned_count": 1}
        else:
            made = str((await ada.assistants.create(GRAPH))["assistant_id"])
            await ada.runs.wait(thread, made, input={"question": QUESTION})
            answer = await hers.delete(f"/assistants/{made}", params={"delete_threads": "true"})
            assert answer.status_code in {200, 204}, answer.text
        with pytest.raises(NotFoundError):
            await ada.threads.get(thread)
        await _until_nothing_mentions(home, thread)
        assert journaled(home) == before
        await refused(grace, others, thread)
        again = await ada.threads.create(
            thread_id=thread, graph_id=GRAPH
        )  # its owner may use it again, and finds it empty
        assert again["thread_id"] == thread
        assert (await hers.get(f"/attachments/{thread}")).json()["files"] == []
        assert not (await ada.threads.get_state(thread))["values"]


async def test_what_was_read_of_a_deleted_threads_files_goes_with_it(guarded: tuple[str, Path]) -> None:
    address, home = guarded
    async with user(address, "ada") as (ada, hers):
        thread = await thread_of(ada)
        note = "# The brass sextant\n\nThe brass sextant was sold to Quillfeather in 1791.\n"
        assert (await hers.put(f"/attachments/{thread}/note.md", content=note)).status_code == 200
        asked = {"question": "To whom was the brass sextant sold?"}
        context: Any = {"documents": ["@attachments"]}
        state: Any = await ada.runs.wait(thread, GRAPH, input=asked, context=context)
        assert "Quillfeather" in state["report"]["markdown"]
        assert holding(home, "Quillfeather") == 1
        assert (await hers.delete(f"/threads/{thread}")).status_code == 204
        assert holding(home, "Quillfeather") == 0


def holding(home: Path, words: str) -> int:
    """Return how many indexes of documents hold a text with these words."""
    found = 0
    for file in (home / "home" / "documents").glob("*.sqlite"):
        with closing(sqlite3.connect(file)) as index:
            found += index.execute("SELECT count(*) FROM texts WHERE text LIKE ?", (f"%{words}%",)).fetchone()[0]
    return found


async def test_a_stateless_run_leaves_nothing(guarded: tuple[str, Path]) -> None:
    address, home = guarded
    async with user(address, "ada") as (ada, _):
        before = journaled(home)
        state: Any = await ada.runs.wait(None, GRAPH, input={"question": QUESTION})
        assert state["report"]
        for _ in range(100):
            if journaled(home) == before:
                return
            await asyncio.sleep(0.1)
        pytest.fail(f"its journals still have {journaled(home) - before} entries")


async def test_a_deletion_that_is_not_ones_own_deletes_nothing(guarded: tuple[str, Path]) -> None:
    address, home = guarded
    async with user(address, "ada") as (ada, hers), user(address, "grace") as (grace, others):
        thread, own = await with_everything(ada, hers), await thread_of(grace)
        before = journaled(home)
        assert (await others.delete(f"/threads/{thread}")).status_code == 404
        pruned = await others.post("/threads/prune", json={"thread_ids": [own, thread], "strategy": "delete"})
        assert pruned.status_code == 404
        assert (await grace.threads.get(own))["thread_id"] == own
        assert len((await hers.get(f"/reports/{thread}/versions.json")).json()) == 2
        assert [file["name"] for file in (await hers.get(f"/attachments/{thread}")).json()["files"]] == ["note.md"]
        assert journaled(home) == before


async def test_an_id_that_nobody_has_had_may_be_chosen(guarded: tuple[str, Path]) -> None:
    async with user(guarded[0], "grace") as (grace, _):
        thread = str(uuid.uuid4())
        assert (await grace.threads.create(thread_id=thread))["thread_id"] == thread
        other = str(uuid.uuid4())
        state: Any = await grace.runs.wait(other, GRAPH, input={"question": QUESTION}, if_not_exists="create")
        assert state["report"]


async def test_a_young_thread_survives_a_crash_as_its_owners_and_a_deleted_one_stays_deleted(tmp_path: Path) -> None:
    settings = {"LEADLINE_DOCS": str(papers(tmp_path)), "LEADLINE_TOKENS": USERS}
    with dev_server(tmp_path, **settings) as (address, process):
        async with user(address, "ada") as (ada, hers):
            old = str((await ada.threads.create(graph_id=GRAPH))["thread_id"])
            await asyncio.to_thread(until_written_down, tmp_path, old)
            thread, kept = await with_everything(ada, hers), await of_a_stateless_run(ada, hers)
            await ada.threads.delete(old)
        process.kill()
        process.wait()
    with dev_server(tmp_path, **settings) as (address, _):
        async with user(address, "ada") as (ada, hers), user(address, "grace") as (grace, others):
            for id_ in (thread, kept, old):
                await refused(grace, others, id_)
            for id_ in (thread, kept):
                state: Any = await ada.threads.get_state(id_)
                assert "Lalla Rookh" in state["values"]["report"]["markdown"]
            assert len((await hers.get(f"/reports/{thread}/versions.json")).json()) == 2
            listed: Any = await ada.threads.search()
            titles = {one["thread_id"]: one["metadata"].get("title", QUESTION) for one in listed}
            assert titles == {thread: QUESTION, kept: QUESTION}


async def test_files_of_a_thread_that_is_never_asked_anything_go_after_a_day(
    client: LangGraphClient, served: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, home = served
    monkeypatch.setenv("LEADLINE_HOME", str(home / "home"))
    forget_settings()
    async with httpx.AsyncClient(base_url=address, timeout=60) as web:
        asked = await with_everything(client, web)
        idle, young = [await thread_of(client) for _ in range(2)]
        for thread in (idle, young):
            await web.put(f"/attachments/{thread}/note.md", content="# A note\n")
        for thread in (asked, idle):
            os.utime(home / "home" / "threads" / thread / "attachments", (0, 0))
        await remove_abandoned(client)
        kept = [len((await web.get(f"/attachments/{thread}")).json()["files"]) for thread in (asked, idle, young)]
    assert kept == [1, 0, 1]
    assert not (home / "home" / "threads" / idle).exists()
