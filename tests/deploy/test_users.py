"""Users of Aegra: everyone has threads, reports, documents and items to themselves, and nobody comes in who may not."""

import os
import re
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

from tests.conftest import PROJECT
from tests.deploy.cluster import AEGRA, Cluster
from tests.server.conftest import GRAPH, OWNER, POSING, TOKENS, researched, thread_of

pytestmark = pytest.mark.timeout(1800)

QUADRANT = "Who made the brass quadrant?"
NOWHERE = re.compile("404|not found|already exists", re.IGNORECASE)


def client_of(cluster: Cluster, name: str) -> LangGraphClient:
    return get_client(url=cluster.guarded, headers={"Authorization": f"Bearer {TOKENS[name]}"})


@pytest.fixture
async def ada(cluster: Cluster) -> AsyncIterator[LangGraphClient]:
    async with client_of(cluster, "ada") as client:
        yield client


@pytest.fixture
async def grace(cluster: Cluster) -> AsyncIterator[LangGraphClient]:
    async with client_of(cluster, "grace") as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/threads"), ("POST", "/threads/search"), ("POST", "/runs/wait"), ("POST", "/assistants/search"),
        ("GET", "/store/items?key=a"), ("POST", "/store/namespaces"), ("GET", "/reports/a/b"), ("GET", "/attachments/a"),
        ("GET", "/info"), ("GET", "/health"), ("GET", "/docs"), ("GET", "/openapi.json"), ("GET", "/nowhere"),
    ],
)  # fmt: skip
def test_without_a_token_or_with_a_wrong_one_nothing_answers(cluster: Cluster, method: str, path: str) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong-0123456789abcdef"}, {"x-api-key": "wrong-0123456789abcdef"}):
        answer = httpx.request(
            method, f"{cluster.guarded}{path}", headers=headers, json={} if method == "POST" else None
        )
        assert answer.status_code == 401
        assert "token" in answer.json()["detail"]


def test_whether_it_is_well_may_be_asked_without_a_token(cluster: Cluster) -> None:
    assert httpx.get(f"{cluster.guarded}/ready").json() == {"status": "ready"}


def test_without_tokens_other_machines_and_other_sites_are_refused(cluster: Cluster) -> None:
    for headers, status in (
        ({"x-forwarded-for": "203.0.113.5"}, 401),
        ({"host": "evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
    ):
        assert httpx.post(f"{cluster.address}/threads/search", headers=headers, json={}).status_code == status
    assert httpx.post(f"{cluster.address}/threads/search", json={}).status_code == 200


def started(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a program in the environment of Aegra's processes, as far as it gets."""
    return subprocess.run(
        [AEGRA / "bin" / "python", "-c", code],
        env={**os.environ, **settings}, cwd=PROJECT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.usefixtures("cluster")
def test_tokens_that_cannot_be_used_keep_it_from_starting() -> None:
    configuration = str(PROJECT / "deploy" / "aegra.json")
    ended = started("import aegra_api.main", AEGRA_CONFIG=configuration, LEADLINE_TOKENS="me:CHANGE-ME")
    assert ended.returncode != 0
    assert "the token of me is shorter than 16 characters" in ended.stdout + ended.stderr
    assert "CHANGE-ME" not in ended.stdout + ended.stderr


@pytest.mark.usefixtures("cluster")
def test_tokens_without_rules_that_tell_users_apart_keep_it_from_starting(tmp_path: Path) -> None:
    (tmp_path / "aegra.json").write_text('{"graphs": {}}')
    code = "from leadline.contrib.aegra.leases import check_users_are_known; check_users_are_known()"
    ended = started(code, AEGRA_CONFIG=str(tmp_path / "aegra.json"), LEADLINE_TOKENS=f"ada:{TOKENS['ada']}")
    assert ended.returncode != 0
    assert "Aegra found no rules that tell users apart" in ended.stderr


async def test_another_users_thread_is_nowhere(cluster: Cluster, ada: LangGraphClient, grace: LangGraphClient) -> None:
    thread, state = await researched(ada)
    assert "Lalla Rookh" in state["report"]["markdown"]
    assert (await ada.threads.get(thread))["metadata"]["owner"] == "ada"  # type: ignore[index]  # it has metadata
    [run] = await ada.runs.list(thread)
    assert thread in [one["thread_id"] for one in await ada.threads.search()]
    assert thread not in [one["thread_id"] for one in await grace.threads.search()]
    assert await grace.runs.list(thread) == []
    for reading in (
        grace.threads.get(thread),
        grace.threads.get_state(thread),
        grace.threads.get_history(thread),
        grace.threads.update(thread, metadata={"mine": True}),
        grace.threads.update_state(thread, {"question": "mine"}),
        grace.threads.delete(thread),
        grace.threads.create(thread_id=thread, if_exists="do_nothing"),
        grace.runs.get(thread, run["run_id"]),
        grace.runs.create(thread, GRAPH, input={"question": OWNER}),
        grace.runs.wait(thread, GRAPH, input={"question": OWNER}),
        grace.runs.join(thread, run["run_id"]),
        grace.runs.cancel(thread, run["run_id"]),
        grace.runs.delete(thread, run["run_id"]),
    ):
        with pytest.raises((APIStatusError, httpx.HTTPStatusError), match=NOWHERE):
            await reading
    for name, status in (("ada", 200), ("grace", 404)):
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKENS[name]}"}, timeout=60) as web:
            for path in ("report.html", "report.md", "evidence.json"):
                answer = await web.get(f"{cluster.guarded}/reports/{thread}/{path}")
                assert answer.status_code == status, (name, path, answer.text[:300])
            assert (await web.get(f"{cluster.guarded}/attachments/{thread}")).status_code == status
    assert len(await ada.runs.list(thread)) == 1


async def test_nobody_gives_a_thread_away(ada: LangGraphClient, grace: LangGraphClient) -> None:
    thread = str((await ada.threads.create(metadata={"owner": "grace"}))["thread_id"])
    await ada.threads.update(thread, metadata={"owner": "grace"})
    assert (await ada.threads.get(thread))["metadata"]["owner"] == "ada"  # type: ignore[index]  # it has metadata
    with pytest.raises(APIStatusError, match=NOWHERE):
        await grace.threads.get(thread)


async def test_items_are_their_writers_and_evidence_is_not_read_through_the_store(
    ada: LangGraphClient, grace: LangGraphClient
) -> None:
    await ada.store.put_item(["notes"], "a", {"text": "hers"})
    assert (await ada.store.get_item(["notes"], "a"))["value"] == {"text": "hers"}
    for client in (ada, grace):
        for namespace in (["evidence"], ["journal"], ["claims"], ["users"]):
            assert (await client.store.search_items(namespace))["items"] == []
    for namespace in ([], ["users"], ["users", "ada"], ["users", "ada", "notes"]):
        assert (await grace.store.search_items(namespace))["items"] == []
        with pytest.raises(APIStatusError, match=NOWHERE):
            await grace.store.get_item(namespace, "a")
    assert all(one[:2] == ["users", "ada"] for one in (await ada.store.list_namespaces())["namespaces"])


async def test_each_user_searches_their_own_documents_and_is_nobody_else(
    ada: LangGraphClient, grace: LangGraphClient
) -> None:
    _, hers = await researched(ada, QUADRANT)
    assert "Jesse Ramsden" in hers["report"]["markdown"]
    for claimed in (None, POSING):
        _, others = await researched(grace, QUADRANT, config=claimed)
        assert "brass quadrant was" not in str(others)


async def test_folders_of_others_are_refused(cluster: Cluster, grace: LangGraphClient) -> None:
    for folder in ["users/ada", "users", "users/grace/../ada", "worker-1", "/etc"]:
        with pytest.raises(Exception, match="is not open to this server"):
            await researched(grace, context={"documents": [str(cluster.folder / folder)]})


async def test_what_is_attached_to_a_thread_is_searched_by_whichever_worker_has_its_run(
    cluster: Cluster, ada: LangGraphClient
) -> None:
    thread = await thread_of(ada)
    note = "# The ivory rule\n\nThe ivory rule was cut by Edward Troughton in 1790.\n"
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKENS['ada']}"}, timeout=60) as web:
        answer = await web.put(f"{cluster.guarded}/attachments/{thread}/rule.md", content=note)
    assert answer.status_code == 200, answer.text
    context: Any = {"documents": ["@attachments"]}
    state: Any = await ada.runs.wait(thread, GRAPH, input={"question": "Who cut the ivory rule?"}, context=context)
    assert "Edward Troughton" in state["report"]["markdown"]


async def test_assistants_are_their_makers_and_the_graphs_own_is_everyones(
    ada: LangGraphClient, grace: LangGraphClient
) -> None:
    posing: Any = {"created_by": "system", "owner": "grace"}
    made = await ada.assistants.create(GRAPH, name="quick", metadata=posing)
    assert {"quick", GRAPH} <= {str(one["name"]) for one in await ada.assistants.search()}
    assert {str(one["name"]) for one in await grace.assistants.search()} == {GRAPH}
    for reading in (
        grace.assistants.get(made["assistant_id"]),
        grace.assistants.delete(made["assistant_id"]),
        grace.runs.wait(None, made["assistant_id"], input={"question": OWNER}),
    ):
        with pytest.raises((APIStatusError, httpx.HTTPStatusError), match=NOWHERE):
            await reading
    await ada.assistants.delete(made["assistant_id"])


async def test_crons_are_not_offered(ada: LangGraphClient) -> None:
    with pytest.raises(APIStatusError, match="Forbidden"):
        await ada.crons.create(GRAPH, schedule="* * * * *", input={"question": OWNER})
