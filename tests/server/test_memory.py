"""A server with tokens remembers for everyone apart: what was proven in a user's threads is used, shown and forgotten by that user alone."""

from pathlib import Path
from typing import Any

import httpx

from tests.server.conftest import POSING, User, researched, user


async def report(of: User, config: Any = None, **context: Any) -> Any:
    """Ask in a thread of its own and return the report."""
    _, state = await researched(of.api, context={"advanced": context}, config=config)
    return state["report"]


async def statements(of: User, words: str = "") -> list[dict[str, Any]]:
    answer = await of.http.get("/memory", params={"words": words})
    found: list[dict[str, Any]] = answer.raise_for_status().json()["statements"]
    return found


async def test_everyone_has_a_memory_of_their_own(guarded: tuple[str, Path]) -> None:
    async with user(guarded[0], "ada") as ada, user(guarded[0], "ada2") as other:
        assert httpx.get(f"{guarded[0]}/memory").status_code == 401  # noqa: ASYNC210 - a test may wait
        await report(ada)
        assert await statements(ada) == [], "nobody asked for it to be remembered"

        read = await report(ada, memory=True)
        known = await statements(ada)
        assert any("Thomson" in one["claim"] and one["sources"][0]["title"] for one in known)
        assert await statements(other) == []
        assert await statements(ada, "kettle") == []
        assert await statements(ada, "schooner") != []

        alone = await report(ada, memory=True, search="none")
        [source] = [one for one in alone["sources"] if one["number"]]
        assert source["known_from"] == read["sources"][0]["fetched_at"][:10]
        assert any(one["id"].startswith("M0-") for one in alone["excerpts"])
        assert f"known from {source['known_from']}" in alone["markdown"]
        for claimed in (None, POSING):
            nothing = await report(other, claimed, memory=True, search="none")
            assert nothing["excerpts"] == []
        assert await other.api.store.search_items(("memory",)) == {"items": []}

        [first, *rest] = [one["id"] for one in known]
        assert (await other.http.delete(f"/memory/{first}")).status_code == 204
        assert (await other.http.delete("/memory")).status_code == 204
        assert [one["id"] for one in await statements(ada)] == [first, *rest], "another user's deletions are their own"
        assert (await ada.http.delete("/memory/..%2Fusers")).status_code in {404, 422}
        assert (await ada.http.delete("/memory/nothing")).status_code == 422
        assert (await ada.http.delete(f"/memory/{first}")).status_code == 204
        assert [one["id"] for one in await statements(ada)] == rest
        assert (await ada.http.delete("/memory")).status_code == 204
        assert await statements(ada) == []
