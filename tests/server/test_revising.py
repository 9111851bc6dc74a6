"""A thread's report is changed over the API: a command that goes to the reporter, with what the thread chose."""

from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

QUESTION = "Who designed the wire sounding machine, and what took the place of hemp rope in it?"


async def change(client: LangGraphClient, thread: str, **revision: Any) -> Any:
    command: Any = {"update": {"revision": revision}, "goto": "reporter"}
    return await client.runs.wait(thread, "deep_research", command=command, raise_error=False)


async def report_of(client: LangGraphClient, thread: str) -> Any:
    state: Any = await client.threads.get_state(thread)
    return state["values"]["report"]


@pytest.fixture
async def thread(client: LangGraphClient) -> str:
    thread = str((await client.threads.create())["thread_id"])
    await client.runs.wait(
        thread, "deep_research", input={"question": QUESTION}, context={"locale": "zh-CN", "citation_style": "plain"}
    )
    return thread


async def test_a_report_is_changed_and_the_former_one_stays_in_the_history(
    client: LangGraphClient, server: str, thread: str
) -> None:
    before = await report_of(client, thread)
    after = (await change(client, thread, request="缩短"))["report"]
    assert after["locale"] == before["locale"] == "zh-CN"
    assert 0 < len(after["citations"]) <= len(before["citations"])
    assert len(after["markdown"]) < len(before["markdown"])
    async with httpx.AsyncClient(base_url=f"{server}/reports/{thread}/", timeout=60) as files:
        assert (await files.get("report.md")).text == after["markdown"]
    history: Any = await client.threads.get_history(thread, limit=100)
    reports = {(state["values"].get("report") or {}).get("markdown") for state in history}
    assert {before["markdown"], after["markdown"]} <= reports


@pytest.mark.parametrize("request_", ["", "x" * 3_000, "Translate it into German"])
async def test_what_cannot_be_done_is_said_and_leaves_the_report(
    client: LangGraphClient, thread: str, request_: str
) -> None:
    before = await report_of(client, thread)
    assert "__error__" in await change(client, thread, request=request_)
    assert (await report_of(client, thread))["markdown"] == before["markdown"]
    assert (await change(client, thread, request="缩短"))["report"]["citations"]
