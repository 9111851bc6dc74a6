"""The real dev server, once for all tests of this folder, and the real SDK client."""

import json
import os
import shutil
import socket
import threading
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from starlette.types import ASGIApp

from tests.conftest import PROJECT
from tests.fakes.forked import Command
from tests.fakes.http import free_port
from tests.fakes.openai_server import OpenAIServer

GRAPH = "deep_research"
OWNER = "Who owned the schooner Lalla Rookh?"
TWO_PARTS = "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?"
TOKENS = {name: f"{name}-0123456789abcdef" for name in ("ada", "ada2", "grace")}
"""Tokens of users, of whom one has a name that is the beginning of another's."""
USERS = ",".join(f"{name}:{token}" for name, token in TOKENS.items())
"""All of them, as a server's setting."""
POSING: Any = {"configurable": {"langgraph_auth_user_id": "ada", "langgraph_auth_user": {"identity": "ada"}}}
"""What a client sends that claims to be another user."""
NOTES = {
    "ada": "# The brass quadrant\n\nThe brass quadrant was made by Jesse Ramsden in 1777.\n",
    "grace": "# The copper kettle\n\nThe copper kettle was mended by Hester Bateman in 1780.\n",
}


@contextmanager
def dev_server(home: Path, *, app: str = "", **environment: str) -> Iterator[tuple[str, Command]]:
    """Serve the graph as `make dev` does, and yield the server's address and its process.

    Args:
        home: folder for all that the server keeps; `log` there is what it writes.
        app: where the app of our own routes is imported from, by default as `langgraph.json` says.
        environment: variables of the server's.
    """
    port = free_port()
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "TAVILY_", "LEADLINE_"))
    }
    command = [
        "dev", "--no-browser", "--no-reload", "--port", str(port), "--n-jobs-per-worker", "10",
        "--config", str(_configuration(home, app)),
    ]  # fmt: skip
    settings = {"LEADLINE_HOME": "home", "LEADLINE_EMBEDDINGS_MODEL": "none", **environment}
    log = home / "log"
    log.touch()
    process = Command(command, program="langgraph", cwd=home, env={**inherited, **settings}, out=str(log), err=str(log))
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(address, process, log)
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


def _configuration(home: Path, app: str) -> Path:
    """Return the project's configuration in a folder of its own, where the server keeps what it knows of threads."""
    content = json.loads((PROJECT / "langgraph.json").read_text())
    if app:
        content["http"]["app"] = app
    (home / "langgraph.json").write_text(json.dumps(content))
    return home / "langgraph.json"


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Serve with some of the examples as documents; yield the address and the folder of all that the server keeps."""
    home = tmp_path_factory.mktemp("server")
    with dev_server(home, LEADLINE_DOCS=papers(home).name) as (address, _):
        yield address, home


@pytest.fixture
def server(served: tuple[str, Path]) -> str:
    return served[0]


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Serve users by their tokens, some with a note of their own beside the papers that all share; yield as `served` does."""
    home = tmp_path_factory.mktemp("guarded")
    for name, note in NOTES.items():
        (home / "users" / name).mkdir(parents=True)
        (home / "users" / name / "note.md").write_text(note)
    (home / "tokens").write_text(f"# who may come in\ngrace:{TOKENS['grace']}\nada2:{TOKENS['ada2']}\n")
    settings = {
        "LEADLINE_DOCS": papers(home).name,
        "LEADLINE_USER_DOCS": "users",
        "LEADLINE_TOKENS": f"ada:{TOKENS['ada']}",
        "LEADLINE_TOKENS_FILE": "tokens",
    }
    with dev_server(home, **settings) as (address, _):
        yield address, home


class User(NamedTuple):
    """A user of a server: the SDK's client, and our routes."""

    api: LangGraphClient
    http: httpx.AsyncClient


@asynccontextmanager
async def user(address: str, name: str) -> AsyncIterator[User]:
    """Connect as a user."""
    headers = {"Authorization": f"Bearer {TOKENS[name]}"}
    async with (
        get_client(url=address, headers=headers) as api,
        httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as http,
    ):
        yield User(api, http)


def said(text: str) -> dict[str, Any]:
    """Return the input of a run that is asked by a message."""
    return {"messages": [{"role": "user", "content": text}]}


async def thread_of(client: LangGraphClient) -> str:
    """Make a thread, and return its id."""
    return str((await client.threads.create())["thread_id"])


async def researched(client: LangGraphClient, question: str = OWNER, **options: Any) -> tuple[str, Any]:
    """Research a question in a thread of its own; return the thread and its state."""
    thread = await thread_of(client)
    return thread, await client.runs.wait(thread, GRAPH, input={"question": question}, **options)


async def pending(client: LangGraphClient, thread: str) -> Any:
    """Return what the thread asks a person, or None."""
    state: Any = await client.threads.get_state(thread)
    asked = [interrupt["value"] for task in state["tasks"] for interrupt in task["interrupts"]]
    return asked[0] if asked else None


def model_of(endpoint: OpenAIServer) -> dict[str, str]:
    """Return the settings of a server that asks this model."""
    return {"OPENAI_API_KEY": endpoint.key, "OPENAI_BASE_URL": endpoint.base_url}


@contextmanager
def in_thread(app: ASGIApp) -> Iterator[int]:
    """Serve an app of a test in a thread of this process, and yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(20)


def papers(home: Path) -> Path:
    """Copy some of the examples."""
    documents = home / "papers"
    documents.mkdir()
    for name in (
        "kelvin-sounding-machine.md",
        "william-thomson-lord-kelvin.md",
        "arming-the-lead.md",
        "historic-deep-soundings.csv",
    ):
        shutil.copy(PROJECT / "examples" / "deep-sea" / name, documents)
    return documents


def until_written_down(home: Path, id_: str) -> None:
    """Wait until the server has written down that there is a run or a thread, which it does every ten seconds."""
    file = home / ".langgraph_api" / ".langgraph_ops.pckl"
    for _ in range(300):
        pickled = file.read_bytes() if file.exists() else b""
        if id_.replace("-", "") in pickled[::-1].hex() + pickled.hex():
            return
        time.sleep(0.1)
    pytest.fail(f"the server did not write down {id_}")


def _wait(address: str, process: Command, log: Path) -> None:
    for _ in range(900):
        if process.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(f"{address}/ok", timeout=1):  # noqa: S310 - the address is our own
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")


@pytest.fixture
async def client(server: str) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=server) as connected:
        yield connected


@pytest.fixture
async def files(server: str, thread: str) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client for the files of the thread's report."""
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as connected:
        yield connected
