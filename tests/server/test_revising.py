"""A thread's report is changed over the API: by a command that goes to the reporter, or by a message."""

from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from tests.server.conftest import GRAPH, researched, said

QUESTION = "Who designed the wire sounding machine, and what took the place of hemp rope in it?"


async def change(client: LangGraphClient, thread: str, **revision: Any) -> Any:
    command: Any = {"update": {"revision": revision}, "goto": "reporter"}
    return await client.runs.wait(thread, GRAPH, command=command, raise_error=False)


async def report_of(client: LangGraphClient, thread: str) -> Any:
    state: Any = await client.threads.get_state(thread)
    return state["values"]["report"]


@pytest.fixture
async def thread(client: LangGraphClient) -> str:
    chosen = {"locale": "zh-CN", "advanced": {"max_results": 10}}
    return (await researched(client, QUESTION, context=chosen))[0]


async def test_what_cannot_be_done_is_said_in_words_and_leaves_the_report(client: LangGraphClient, thread: str) -> None:
    before = await report_of(client, thread)
    for request, words in (
        ("", "请用不超过"),
        ("x" * 3_000, "at most 2,000 characters"),
        ("Translate it into German", "needs a language model"),
    ):
        after = await change(client, thread, request=request)
        assert "__error__" not in after
        assert words in after["messages"][-1]["content"]
        assert words in after["revision"]["refused"]
        assert (await report_of(client, thread))["markdown"] == before["markdown"]
    again = await change(client, thread, shorter=True)  # in words of the report's language
    after = again["report"]
    assert (after["version"], after["locale"], before["locale"]) == (2, "zh-CN", "zh-CN")
    assert 0 < len(after["citations"]) <= len(before["citations"])
    assert len(after["markdown"]) < len(before["markdown"])
    assert "短" in again["revision"]["request"]
    assert not again["revision"]["refused"]


@pytest.mark.parametrize("asked", [{"question": QUESTION}, said(QUESTION)])
async def test_a_thread_without_a_report_says_so_and_takes_a_question_then(client: LangGraphClient, asked: Any) -> None:
    thread = str((await client.threads.create(graph_id=GRAPH))["thread_id"])
    for _ in range(2):
        after = await change(client, thread, request="Shorter")
        assert after["messages"][-1]["content"] == "There is no report to change. Ask a question first."
    answered: Any = await client.runs.wait(thread, GRAPH, input=asked)
    assert answered["report"]["question"] == QUESTION


async def test_a_thread_without_a_report_is_deleted_after_a_change_of_none(client: LangGraphClient) -> None:
    thread = str((await client.threads.create(graph_id=GRAPH))["thread_id"])
    await change(client, thread, request="Shorter")
    await client.threads.delete(thread)
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)


async def test_without_a_model_a_section_goes_by_its_heading_and_a_message_is_a_question(
    client: LangGraphClient, files: httpx.AsyncClient, thread: str
) -> None:
    first = await report_of(client, thread)
    heading = (await files.get("view.json")).json()["headings"][-1]
    changed = await change(client, thread, request="删除一节", without=heading)
    assert changed["report"]["version"] == 2
    assert changed["report"]["question"] == changed["question"] == QUESTION
    assert f"## {heading}" in first["markdown"]
    assert f"## {heading}" not in changed["report"]["markdown"]
    kept = changed["report"]["citations"]
    assert kept == first["citations"][: len(kept)]
    refused = await change(client, thread, request="删除一节", without="没有这一节")
    assert "没有“没有这一节”这一节" in refused["revision"]["refused"]
    versions = (await files.get("versions.json")).json()
    assert [(version["number"], version["request"]) for version in versions] == [(1, ""), (2, "删除一节")]
    assert (await files.get("report.md?version=1")).text == first["markdown"]
    assert (await files.get("report.md")).text == changed["report"]["markdown"]
    assert (await files.get("view.json?version=1")).json()["version"] == 1
    difference = (await files.get("difference.json?before=1&after=2")).json()
    assert {"removed", "same"} <= {sentence["state"] for sentence in difference}
    assert (await files.get("report.md?version=7")).status_code == 404
    message = said("How long was the shorter wire of the sounding machine?")
    asked: Any = await client.runs.wait(thread, GRAPH, input=message, raise_error=False)
    assert asked["report"]["version"] == 1
    assert asked["report"]["question"] != QUESTION
