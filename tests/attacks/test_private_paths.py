"""What a server's client is told where something is wrong with the operator's folders: what to do, and not where they lie."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.conftest import PROJECT
from tests.server.conftest import dev_server, papers

pytestmark = pytest.mark.timeout(300)

GRAPH = "deep_research"
QUESTION = "Who owned the schooner Lalla Rookh?"
TOKEN = "ada-0123456789abcdef"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    home = tmp_path_factory.mktemp("operator")
    settings = {
        "LEADLINE_DOCS": str(papers(home)),
        "LEADLINE_TOKENS": f"ada:{TOKEN}",
        "LEADLINE_EMBEDDINGS_MODEL": "none",
        "LEADLINE_PRICES": str(home / "prices" / "list.yaml"),
    }
    with dev_server(home, **settings) as (address, _):
        yield address, home


@pytest.fixture
async def client(served: tuple[str, Path]) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=served[0], headers=HEADERS) as connected:
        yield connected


async def everything_told(client: LangGraphClient, **context: Any) -> str:
    """Run a question and return all that its client can read of it: the stream, the state, the history and the runs."""
    thread = str((await client.threads.create())["thread_id"])
    streamed = client.runs.stream(
        thread,
        GRAPH,
        input={"question": QUESTION},
        context=context or None,
        stream_mode=["values", "updates", "custom", "debug"],
    )
    told: list[Any] = [[part.event, part.data] async for part in streamed]
    told += [
        await client.threads.get(thread),
        await client.threads.get_state(thread),
        await client.threads.get_history(thread),
    ]
    told += await client.runs.list(thread)
    return json.dumps(told, ensure_ascii=False, default=str)


def says_no_place(told: str, home: Path) -> None:
    for place in (str(home), str(PROJECT), home.parent.name):
        assert place not in told, told[max(0, told.find(place) - 300) : told.find(place) + 300]


async def test_a_home_that_cannot_be_used(served: tuple[str, Path], client: LangGraphClient) -> None:
    home = served[1]
    index = home / "home" / "documents"
    index.parent.mkdir(exist_ok=True)
    if index.exists():
        index.rename(index.with_name("moved"))
    index.write_text("no folder")
    try:
        told = await everything_told(client)
    finally:
        index.unlink()
    says_no_place(told, home)
    assert "LEADLINE_HOME" in told
    assert str(index) in (home / "log").read_text()


async def test_documents_that_are_gone(served: tuple[str, Path], client: LangGraphClient) -> None:
    home = served[1]
    (home / "papers").rename(home / "gone")
    try:
        told = await everything_told(client)
    finally:
        (home / "gone").rename(home / "papers")
    says_no_place(told, home)
    assert "The documents folder papers does not exist" in told


@pytest.mark.parametrize("folder", ["nowhere", "..", "papers/nowhere", "../home", "papers/../.."])
async def test_a_folder_that_is_not_open(served: tuple[str, Path], client: LangGraphClient, folder: str) -> None:
    says_no_place(await everything_told(client, documents=[folder]), served[1])


async def test_requests_that_fail(served: tuple[str, Path], client: LangGraphClient) -> None:
    address, home = served
    thread = str((await client.threads.create())["thread_id"])
    attachments = home / "home" / "threads" / thread
    attachments.parent.mkdir(exist_ok=True)
    attachments.write_text("no folder")
    asked = [
        ("GET", f"/reports/{thread}/report.html"), ("GET", f"/reports/{thread}/sources/{'0' * 64}.txt"),
        ("GET", f"/reports/{thread}/artifacts/../../evidence.json"), ("GET", f"/reports/{thread}/%2e%2e%2fhome"),
        ("PUT", f"/attachments/{thread}/note.md"), ("GET", f"/attachments/{thread}"), ("DELETE", f"/attachments/{thread}/note.md"),
        ("GET", "/page/../../pyproject.toml"), ("GET", "/page/nowhere.js"),
    ]  # fmt: skip
    try:
        async with httpx.AsyncClient(base_url=address, headers=HEADERS, timeout=60) as web:
            for method, path in asked:
                answer = await web.request(method, path, content=b"# Note" if method == "PUT" else None)
                assert method != "PUT" or answer.status_code == 507, answer.text
                says_no_place(answer.text + str(answer.headers), home)
    finally:
        attachments.unlink()
