"""The graph on Aegra with PostgreSQL, Redis and two workers, through the real SDK client: what one process does, too."""

import hashlib
import html
import json
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.deploy.cluster import Cluster
from tests.fakes.openai_server import OpenAIServer
from tests.server.conftest import GRAPH, OWNER, TWO_PARTS, pending, said, thread_of
from tests.server.test_dev_server import test_updates_messages_and_events_are_streamed

__all__ = ["test_updates_messages_and_events_are_streamed"]  # the same as on the dev server, with this folder's client

pytestmark = pytest.mark.timeout(1800)


async def test_a_plan_is_reviewed_edited_replaced_and_accepted(client: LangGraphClient) -> None:
    thread, context = await thread_of(client), {"review_plan": True, "max_plan_iterations": 1}

    async def answered(answer: Any) -> Any:
        return await client.runs.wait(thread, GRAPH, command={"resume": answer}, context=context)

    await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS}, context=context)
    await answered("[EDIT_PLAN] also the silver chromate tube")
    edited = await pending(client, thread)
    assert any("chromate" in query for step in edited["plan"]["steps"] for query in step["queries"])
    step = {"id": "x", "title": "Tallow", "description": "d", "queries": ["tallow in the hollow of the lead"]}
    state = await answered({"action": "replace", "plan": {"title": "Tallow only", "steps": [step]}})
    assert [one["title"] for one in state["plan"]["steps"]] == ["Tallow"]
    assert "tallow" in state["report"]["markdown"].lower()


async def test_a_second_question_of_a_thread_starts_afresh_and_is_understood(client: LangGraphClient) -> None:
    thread = await thread_of(client)
    for question in (OWNER, "Where was William Thomson born?"):
        state: Any = await client.runs.wait(thread, GRAPH, input=said(question))
    assert state["question"] == "Where was William Thomson born?"
    assert "Belfast" in state["messages"][-1]["content"]
    assert len(state["messages"]) == 4


async def test_characters_that_postgresql_refuses_do_no_harm(client: LangGraphClient, model: OpenAIServer) -> None:
    model.script["reporter"] = ["The lead was \x00armed \ud83d with tallow. " * 3] * 3
    try:
        state: Any = await client.runs.wait(None, GRAPH, input={"question": "Why was tallow pressed into the lead?"})
    finally:
        model.script.clear()
    assert "armed" in state["report"]["markdown"]


async def test_a_reports_files_are_served_with_its_sources(client: LangGraphClient, cluster: Cluster) -> None:
    thread = await thread_of(client)
    state: Any = await client.runs.wait(thread, GRAPH, input={"question": "Who designed the wire sounding machine?"})
    async with httpx.AsyncClient(base_url=f"{cluster.address}/reports/{thread}/", timeout=60) as files:
        assert (await files.get("report.md")).text == state["report"]["markdown"]
        assert "default-src 'none'" in html.unescape((await files.get("report.html")).text)
        evidence = json.loads((await files.get("evidence.json")).text)
        assert evidence["sources"]
        for source in evidence["sources"]:
            text = await files.get(source["text"])
            assert hashlib.sha256(text.content).hexdigest() == source["content_hash"]
