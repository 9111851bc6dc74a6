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

pytestmark = pytest.mark.timeout(1800)

GRAPH = "deep_research"
TWO_PARTS = "Why was tallow pressed into the lead, and who owned the schooner Lalla Rookh?"


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


async def thread_of(client: LangGraphClient) -> str:
    return str((await client.threads.create())["thread_id"])


async def test_updates_messages_and_events_are_streamed(client: LangGraphClient) -> None:
    modes: dict[str, list[Any]] = {}
    async for part in client.runs.stream(
        await thread_of(client), GRAPH, input={"question": TWO_PARTS}, stream_mode=["updates", "messages-tuple", "custom"]
    ):  # fmt: skip
        modes.setdefault(part.event, []).append(part.data)
    assert "error" not in modes
    nodes = {node for update in modes["updates"] for node in update}
    assert {"coordinator", "background_investigator", "planner", "researcher", "reflector", "reporter"} <= nodes
    types = [event["type"] for event in modes["custom"]]
    assert types.index("plan") < types.index("step_started") < types.index("source") < types.index("reflection")
    writers = {about["langgraph_node"] for piece, about in modes["messages"] if piece["type"] == "AIMessageChunk"}
    assert writers == {"reporter"}


async def test_a_plan_is_reviewed_edited_replaced_and_accepted(client: LangGraphClient) -> None:
    thread, context = await thread_of(client), {"review_plan": True, "max_plan_iterations": 1}

    async def answered(answer: Any) -> Any:
        return await client.runs.wait(thread, GRAPH, command={"resume": answer}, context=context)

    await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS}, context=context)
    await answered("[EDIT_PLAN] also the silver chromate tube")
    edited = await asked_for(client, thread)
    assert any("chromate" in query for step in edited["plan"]["steps"] for query in step["queries"])
    step = {"id": "x", "title": "Tallow", "description": "d", "queries": ["tallow in the hollow of the lead"]}
    state = await answered({"action": "replace", "plan": {"title": "Tallow only", "steps": [step]}})
    assert [one["title"] for one in state["plan"]["steps"]] == ["Tallow"]
    assert "tallow" in state["report"]["markdown"].lower()


async def asked_for(client: LangGraphClient, thread: str) -> Any:
    state: Any = await client.threads.get_state(thread)
    return state["tasks"][0]["interrupts"][0]["value"]


async def test_a_second_question_of_a_thread_starts_afresh_and_is_understood(client: LangGraphClient) -> None:
    thread = await thread_of(client)
    for question in ("Who owned the schooner Lalla Rookh?", "Where was William Thomson born?"):
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
