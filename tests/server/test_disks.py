"""A server whose disk is full or read-only: the client is told what to do, nothing is half-written, and the server goes on."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.crash.disk import Disk, small_disk
from tests.fakes.forked import Command
from tests.fakes.http import free_port
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.server.conftest import GRAPH, TWO_PARTS, dev_server, model_of, papers, thread_of

pytestmark = pytest.mark.timeout(300)

Served = tuple[str, Disk, OpenAIServer]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve with a home on a small disk."""
    home = tmp_path_factory.mktemp("disks")
    with small_disk(home / "disk") as disk, openai_server() as endpoint:
        settings = {
            "LEADLINE_HOME": str(disk.folder / "home"),
            "LEADLINE_DOCS": str(papers(home)),
            **model_of(endpoint),
        }
        with dev_server(home, **settings) as (address, _):
            yield address, disk, endpoint


@pytest.fixture
async def client(served: Served) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=served[0]) as connected:
        yield connected
    served[2].on_request = None


async def asked_in(client: LangGraphClient, thread: str) -> Any:
    return await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS})


def whole(disk: Disk) -> None:
    """Make sure that what the server keeps can be read."""
    for file in (disk.folder / "home").glob("*.sqlite"):
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as kept:
            assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def at_call(served: Served, role: str, do: Any) -> None:
    """Do something when a role is asked for the first time from now on."""
    _, _, endpoint = served
    left = threading.Semaphore(1)

    def watch(number: int) -> None:
        if endpoint.roles[number - 1].startswith(role) and left.acquire(blocking=False):
            do()

    endpoint.on_request = watch


async def test_a_disk_that_fills_up_fails_the_run_with_what_to_do_and_the_thread_goes_on(
    served: Served, client: LangGraphClient
) -> None:
    _, disk, _ = served
    thread = await thread_of(client)
    at_call(served, "researcher", disk.fill)
    try:
        with pytest.raises(Exception, match=r"disk is full.*Make room on its disk.*ask again in the same thread"):
            await asked_in(client, thread)
        [run] = await client.runs.list(thread)
        assert run["status"] == "error"
    finally:
        disk.empty()
    whole(disk)
    assert (await asked_in(client, thread))["report"]["citations"]


async def test_a_thread_for_which_there_is_no_room_is_refused_with_what_to_do(
    served: Served, client: LangGraphClient
) -> None:
    address, disk, _ = served
    disk.fill()
    try:
        async with httpx.AsyncClient(base_url=address, timeout=60) as web:
            answer = await web.post("/threads", json={})
        assert answer.status_code == 507
        said = answer.json()["detail"]
        assert said.startswith("LEADLINE_HOME/store.sqlite cannot be written (")
        assert said.endswith(
            "Make room on its disk, or ask the operator of this server to; then ask again in the same thread."
        )
    finally:
        disk.empty()
    assert await thread_of(client)


async def test_an_attachment_for_which_there_is_no_room_leaves_nothing_behind(
    served: Served, client: LangGraphClient
) -> None:
    address, disk, _ = served
    thread = await thread_of(client)
    disk.fill()
    try:
        async with httpx.AsyncClient(base_url=address, timeout=60) as web:
            answer = await web.put(f"/attachments/{thread}/note.md", content="# A note\n" * 10_000)
        assert answer.status_code == 507
        assert "No space left on device" in answer.json()["detail"]
    finally:
        disk.empty()
    kept = await asyncio.to_thread(lambda: [*(disk.folder / "home" / "threads").rglob("*")])
    assert [one for one in kept if one.is_file()] == []


def test_a_home_that_is_read_only_keeps_the_server_from_starting_and_is_named(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        disk.read_only(True)
        home = disk.folder / "home"
        process = Command(
            ["serve", "--port", str(free_port())], env={**os.environ, "LEADLINE_HOME": str(home)}, cwd=tmp_path
        )
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"{home}/server cannot be written (Read-only file system)" in err
    assert "Traceback" not in err
