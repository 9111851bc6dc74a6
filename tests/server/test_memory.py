"""A server with tokens remembers for everyone apart: what was proven in a user's threads is used, shown and forgotten by that user alone."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from tests.server.conftest import dev_server, papers

QUESTION = "Who owned the schooner Lalla Rookh?"
NAMES = ("ada", "ada2")
"""Names of which one is the beginning of the other."""


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("remembering")
    settings = {
        "LEADLINE_DOCS": str(papers(home)),
        "LEADLINE_TOKENS": ",".join(f"{name}:{name}-0123456789abcdef" for name in NAMES),
        "LEADLINE_EMBEDDINGS_MODEL": "none",
    }
    with dev_server(home, **settings) as (address, _):
        yield address


class User:
    """A user of the server: the SDK's client, and our routes."""

    def __init__(self, api: Any, http: httpx.AsyncClient) -> None:
        self.api = api
        self.http = http

    async def report(self, **context: Any) -> Any:
        """Ask in a thread of its own and return the report."""
        thread = await self.api.threads.create()
        state = await self.api.runs.wait(
            thread["thread_id"], "deep_research", input={"question": QUESTION}, context={"advanced": context}
        )
        return state["report"]

    async def statements(self, words: str = "") -> list[dict[str, Any]]:
        answer = await self.http.get("/memory", params={"words": words})
        found: list[dict[str, Any]] = answer.raise_for_status().json()["statements"]
        return found


@asynccontextmanager
async def user(address: str, name: str) -> AsyncIterator[User]:
    headers = {"Authorization": f"Bearer {name}-0123456789abcdef"}
    async with (
        get_client(url=address, headers=headers) as api,
        httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as http,
    ):
        yield User(api, http)


async def test_everyone_has_a_memory_of_their_own(remembering: str) -> None:
    async with user(remembering, "ada") as ada, user(remembering, "ada2") as other:
        assert httpx.get(f"{remembering}/memory").status_code == 401  # noqa: ASYNC210 - a test may wait
        await ada.report()
        assert await ada.statements() == [], "nobody asked for it to be remembered"

        read = await ada.report(memory=True)
        known = await ada.statements()
        assert any("Thomson" in one["claim"] and one["sources"][0]["title"] for one in known)
        assert await other.statements() == []
        assert await ada.statements("kettle") == []
        assert await ada.statements("schooner") != []

        alone = await ada.report(memory=True, search="none")
        [source] = [one for one in alone["sources"] if one["number"]]
        assert source["known_from"] == read["sources"][0]["fetched_at"][:10]
        assert any(one["id"].startswith("M0-") for one in alone["excerpts"])
        assert f"known from {source['known_from']}" in alone["markdown"]
        nothing = await other.report(memory=True, search="none")
        assert nothing["excerpts"] == []

        [first, *rest] = [one["id"] for one in known]
        assert (await other.http.delete(f"/memory/{first}")).status_code == 204
        assert (await other.http.delete("/memory")).status_code == 204
        assert [one["id"] for one in await ada.statements()] == [first, *rest], "another user's deletions are their own"
        assert (await ada.http.delete("/memory/..%2Fusers")).status_code in {404, 422}
        assert (await ada.http.delete("/memory/nothing")).status_code == 422
        assert (await ada.http.delete(f"/memory/{first}")).status_code == 204
        assert [one["id"] for one in await ada.statements()] == rest
        assert (await ada.http.delete("/memory")).status_code == 204
        assert await ada.statements() == []


async def test_a_client_cannot_name_another_user_as_its_own(remembering: str) -> None:
    async with user(remembering, "ada") as ada, user(remembering, "ada2") as other:
        await ada.report(memory=True)
        thread = (await other.api.threads.create())["thread_id"]
        claimed = {"configurable": {"langgraph_auth_user_id": "ada", "langgraph_auth_user": {"identity": "ada"}}}
        state = await other.api.runs.wait(
            thread, "deep_research", input={"question": QUESTION}, context={"advanced": {"memory": True}, "search": "none"}, config=claimed
        )  # fmt: skip
        assert not (state.get("report") or {}).get("excerpts")
        assert await other.api.store.search_items(("memory",)) == {"items": []}
        await ada.http.delete("/memory")
