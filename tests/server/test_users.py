"""A server with tokens: everyone sees their own threads, runs, reports, documents and items, and nobody else's."""

import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, ConflictError, NotFoundError

from tests.server.conftest import GRAPH, OWNER, POSING, TOKENS, researched, thread_of, user
from tests.server.test_mcp import connected

NOT_FOUND = (NotFoundError, httpx.HTTPStatusError)
"""What the client raises of a 404: it depends on whether it would wait."""
NOWHERE = re.compile("not found|no runs found", re.IGNORECASE)


@pytest.fixture
async def ada(guarded: tuple[str, Path]) -> AsyncIterator[LangGraphClient]:
    async with user(guarded[0], "ada") as connected:
        yield connected.api


@pytest.fixture
async def grace(guarded: tuple[str, Path]) -> AsyncIterator[LangGraphClient]:
    async with user(guarded[0], "grace") as connected:
        yield connected.api


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/threads"), ("POST", "/threads/search"), ("POST", "/runs/wait"), ("POST", "/assistants/search"),
        ("GET", "/store/items?key=a"), ("POST", "/store/items/search"), ("POST", "/mcp"), ("GET", "/reports/a/b"),
        ("GET", "/info"), ("GET", "/metrics"), ("GET", "/docs"), ("GET", "/openapi.json"), ("GET", "/ui/x"), ("GET", "/nowhere"),
    ],
)  # fmt: skip
def test_without_a_token_or_with_a_wrong_one_nothing_answers(guarded: tuple[str, Path], method: str, path: str) -> None:
    sent: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer wrong-0123456789abcdef"},
        {"x-api-key": "wrong-0123456789abcdef"},
        {"x-auth-scheme": "langsmith"},
        {"Authorization": f"Basic {TOKENS['ada']}"},
    ]
    for headers in sent:
        answer = httpx.request(method, f"{guarded[0]}{path}", headers=headers, json={} if method == "POST" else None)
        assert answer.status_code == 401
        assert "token" in answer.json()["detail"]


def test_what_the_server_offers_for_its_own_tests_is_closed_even_with_a_token(guarded: tuple[str, Path]) -> None:
    headers = {"Authorization": f"Bearer {TOKENS['ada']}"}
    for method, path in [("POST", "/internal/truncate"), ("GET", "/internal/debug/thread/x"), ("GET", "/deploy")]:
        assert httpx.request(method, f"{guarded[0]}{path}", headers=headers).status_code == 404


def test_a_browser_may_ask_what_it_may_send_and_whether_the_server_is_up(guarded: tuple[str, Path]) -> None:
    asked = {
        "Origin": "https://smith.langchain.com",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    preflight = httpx.options(f"{guarded[0]}/threads", headers=asked)
    assert preflight.status_code == 200
    assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
    assert httpx.get(f"{guarded[0]}/ok").status_code == 200


async def test_a_token_goes_in_either_header(guarded: tuple[str, Path]) -> None:
    async with get_client(url=guarded[0], api_key=TOKENS["ada"]) as client:
        [assistant] = await client.assistants.search()
    assert assistant["graph_id"] == GRAPH


async def test_the_owner_reads_a_thread_and_its_report_and_another_user_finds_neither(
    guarded: tuple[str, Path], ada: LangGraphClient, grace: LangGraphClient
) -> None:
    thread, state = await researched(ada)
    assert "Lalla Rookh" in state["report"]["markdown"]
    assert (await ada.threads.get(thread))["metadata"]["owner"] == "ada"  # type: ignore[index]  # it has metadata
    [run] = await ada.runs.list(thread)
    assert thread in [one["thread_id"] for one in await ada.threads.search()]
    assert await grace.threads.search(ids=[thread]) == []
    for reading in (
        grace.threads.get(thread),
        grace.threads.get_state(thread),
        grace.threads.get_history(thread),
        grace.runs.get(thread, run["run_id"]),
        grace.runs.wait(thread, GRAPH, input={"question": OWNER}),
        grace.runs.create(thread, GRAPH, input={"question": OWNER}),
        grace.runs.join(thread, run["run_id"]),
        grace.runs.cancel(thread, run["run_id"]),
        grace.threads.update(thread, metadata={"mine": True}),
        grace.threads.update_state(thread, {"question": "mine"}),
        grace.threads.delete(thread),
    ):
        with pytest.raises(NOT_FOUND, match=NOWHERE):
            await reading
    with pytest.raises(ConflictError):  # the server says no in its own way here
        await grace.threads.copy(thread)
    with pytest.raises(NotFoundError):
        await grace.runs.list(thread)
    for name, status in (("ada", 200), ("grace", 404)):
        headers = {"Authorization": f"Bearer {TOKENS[name]}"}
        for file in ("report.html", "evidence.json"):
            async with httpx.AsyncClient(headers=headers, timeout=60) as web:
                answer = await web.get(f"{guarded[0]}/reports/{thread}/{file}")
            assert answer.status_code == status, (name, file)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/threads/{thread}/stream", None),
        ("/threads/{thread}/runs/{run}/stream", None),
        ("/threads/{thread}/stream/events", {"channels": ["values", "messages", "updates", "custom", "lifecycle"]}),
    ],
)
async def test_another_users_stream_says_nothing(
    guarded: tuple[str, Path], ada: LangGraphClient, path: str, body: Any
) -> None:
    thread = await thread_of(ada)
    run = await ada.runs.create(thread, GRAPH, input={"question": OWNER}, stream_resumable=True)
    heard = b""
    async with get_client(url=guarded[0], headers={"Authorization": f"Bearer {TOKENS['grace']}"}) as client:
        with contextlib.suppress(httpx.ReadTimeout):
            async with client.http.client.stream(
                "POST" if body else "GET",
                path.format(thread=thread, run=run["run_id"]),
                json=body,
                timeout=5,
                headers={"Last-Event-ID": "0"},
            ) as answer:
                async for piece in answer.aiter_bytes():
                    heard += piece
    await ada.runs.join(thread, run["run_id"])
    assert b"Lalla" not in heard
    assert b"messages" not in heard


async def test_no_other_route_shows_or_changes_another_users_thread(
    guarded: tuple[str, Path], ada: LangGraphClient
) -> None:
    thread, state = await researched(ada)
    whole: Any = await ada.threads.get_state(thread)
    checkpoint = whole["checkpoint"]["checkpoint_id"]
    message = {"role": "user", "parts": [{"kind": "text", "text": OWNER}], "messageId": "1", "contextId": thread}
    task = {"id": state["messages"][-1]["id"], "contextId": thread}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": task}
    send = {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}
    [assistant] = await ada.assistants.search()
    asked: list[tuple[str, str, Any]] = [
        ("GET", f"/threads/{thread}/storage", None),
        ("GET", f"/threads/{thread}/stream/events", None),
        ("POST", f"/threads/{thread}/stream/events", {"channels": ["values"]}),
        ("POST", f"/threads/{thread}/commands", {"method": "state.get", "id": 1, "params": {}}),
        ("POST", f"/threads/{thread}/state/checkpoint", {"checkpoint": {"checkpoint_id": checkpoint}}),
        ("GET", f"/threads/{thread}/state/{checkpoint}", None),
        ("POST", f"/threads/{thread}/history", {"limit": 5}),
        ("POST", f"/threads/{thread}/copy", None),
        ("POST", "/threads/prune", {"thread_ids": [thread], "strategy": "delete"}),
        ("POST", "/runs/cancel", {"status": "all"}),
        ("POST", "/runs/batch", [{"assistant_id": GRAPH, "thread_id": thread, "input": {"question": OWNER}}]),
        ("POST", f"/a2a/{assistant['assistant_id']}", call),
        ("POST", f"/a2a/{assistant['assistant_id']}", send),
        ("DELETE", f"/threads/{thread}", None),
    ]
    before = len(await ada.runs.list(thread))
    headers = {"Authorization": f"Bearer {TOKENS['grace']}"}
    async with httpx.AsyncClient(base_url=guarded[0], headers=headers, timeout=5) as web:
        for method, path, body in asked:
            with contextlib.suppress(httpx.ReadTimeout):
                answer = await web.request(method, path, json=body)
                found = answer.text.replace(OWNER, "")
                assert "Lalla" not in found, (path, found[:500])
                refused = answer.status_code >= 400 or not found or "error" in found or path == "/runs/batch"
                assert refused, (path, found[:500])
    after: Any = await ada.threads.get_state(thread)
    assert after["checkpoint"] == whole["checkpoint"]
    assert len(await ada.runs.list(thread)) == before


async def test_nobody_makes_a_thread_another_users(ada: LangGraphClient, grace: LangGraphClient) -> None:
    thread = str((await ada.threads.create(metadata={"owner": "grace"}))["thread_id"])
    await ada.threads.update(thread, metadata={"owner": "grace"})
    assert (await ada.threads.get(thread))["metadata"]["owner"] == "ada"  # type: ignore[index]  # it has metadata
    with pytest.raises(NotFoundError):
        await grace.threads.get(thread)
    with pytest.raises(APIStatusError):
        await grace.threads.create(thread_id=thread, if_exists="raise")
    assert (await ada.threads.get(thread))["metadata"]["owner"] == "ada"  # type: ignore[index]  # it has metadata


async def test_each_user_searches_their_own_documents_and_the_shared_ones(
    guarded: tuple[str, Path], ada: LangGraphClient, grace: LangGraphClient
) -> None:
    _, hers = await researched(ada, "Who made the brass quadrant?")
    assert "Jesse Ramsden" in hers["report"]["markdown"]
    _, others = await researched(grace, "Who made the brass quadrant?")
    assert "Ramsden" not in str(others)
    assert "brass quadrant was" not in str(others)
    own = str(guarded[1] / "users" / "grace")
    _, mended = await researched(grace, "Who mended the copper kettle?", context={"documents": [own]})
    assert "Hester Bateman" in mended["report"]["markdown"]


@pytest.mark.parametrize("folder", ["users/ada", "users", "users/grace/../ada", "home", "/etc", "/"])
async def test_folders_of_others_are_refused(guarded: tuple[str, Path], grace: LangGraphClient, folder: str) -> None:
    with pytest.raises(Exception, match="is not open to this server"):
        await researched(grace, context={"documents": [str(guarded[1] / folder)]})


async def test_a_client_cannot_say_that_it_is_someone_else(grace: LangGraphClient) -> None:
    _, state = await researched(grace, "Who made the brass quadrant?", config=POSING)
    assert "Ramsden" not in str(state)


async def test_items_are_their_writers_and_evidence_is_not_read_through_the_store(
    ada: LangGraphClient, grace: LangGraphClient
) -> None:
    await ada.store.put_item(["notes"], "a", {"text": "hers"})
    assert (await ada.store.get_item(["notes"], "a"))["value"] == {"text": "hers"}
    for client in (ada, grace):
        for namespace in (["evidence"], ["journal"], ["users"]):
            assert (await client.store.search_items(namespace))["items"] == []
    assert (await grace.store.search_items([]))["items"] == []
    assert (await grace.store.search_items(["users", "ada"]))["items"] == []
    assert not await grace.store.get_item(["notes"], "a")
    assert all(one[:2] == ["users", "ada"] for one in (await ada.store.list_namespaces())["namespaces"])


async def test_assistants_are_their_makers_and_the_graphs_own_is_everyones(
    ada: LangGraphClient, grace: LangGraphClient
) -> None:
    made = await ada.assistants.create(GRAPH, name="quick", metadata={"created_by": "system", "owner": "grace"})
    assert "quick" in [one["name"] for one in await ada.assistants.search()]
    assert "quick" not in [one["name"] for one in await grace.assistants.search()]
    for reading in (
        grace.assistants.get(made["assistant_id"]),
        grace.assistants.update(made["assistant_id"], name="mine"),
        grace.assistants.delete(made["assistant_id"]),
        grace.runs.wait(None, made["assistant_id"], input={"question": OWNER}),
    ):
        with pytest.raises(NOT_FOUND, match=NOWHERE):
            await reading
    await ada.assistants.delete(made["assistant_id"])


async def test_crons_are_not_offered(ada: LangGraphClient) -> None:
    with pytest.raises(APIStatusError):
        await ada.crons.create(GRAPH, schedule="* * * * *", input={"question": OWNER})


async def test_mcp_researches_as_its_user(
    guarded: tuple[str, Path], ada: LangGraphClient, grace: LangGraphClient
) -> None:
    before = {name: await client.threads.count() for name, client in (("ada", ada), ("grace", grace))}
    async with connected(guarded[0], Authorization=f"Bearer {TOKENS['ada']}") as session:
        result = await session.call_tool("deep_research", {"question": "Who made the brass quadrant?"})
    assert "Jesse Ramsden" in str(result.content)
    after = {name: await client.threads.count() for name, client in (("ada", ada), ("grace", grace))}
    assert after["grace"] == before["grace"]
