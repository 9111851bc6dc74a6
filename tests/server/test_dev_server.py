"""`langgraph dev` without a key, without a network and without `--allow-blocking`, through the real SDK client."""

import re
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

from tests.server.conftest import GRAPH, OWNER, TWO_PARTS, pending, researched, said, thread_of

QUESTION = "Where was the professor who first sounded with piano wire from the schooner Lalla Rookh born?"
FOREIGN: dict[str, Any] = {"documents": ["/etc"]}
PICTURE: dict[str, Any] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


async def test_a_question_alone_gets_a_report(client: LangGraphClient) -> None:
    state: Any = await client.runs.wait(None, GRAPH, input={"question": QUESTION})
    assert "Belfast" in state["report"]["markdown"]
    assert (
        state["messages"][-1]["content"] == state["report"]["markdown"]
    )  # the server has no files of a thread that is gone
    thread, state = await researched(client, QUESTION)
    said_there = re.sub(rf"http://[^)]*/reports/{thread}/", "", state["messages"][-1]["content"])
    assert said_there == state["report"]["markdown"] != state["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"query": "Who?"}, "The input of a run has no field 'query'. Send"),
        ({"question": 5}, "The input's question must be text, not a number"),
        ({"question": ["a"]}, "The input's question must be text, not a list"),
        ({"question": {"a": 1}, "messages": []}, "The input's question must be text, not an object"),
        ({"question": None}, "The question is empty"),
        ({"messages": None}, "The question is empty"),
        ("Who?", "The input of a run must be an object, not a text"),
        ({"messages": 5}, "Item 1 of the input's messages is not a message"),
        ({"question": "Who?", "messages": [{"role": "user", "content": "Who?"}, {"role": "king", "content": "x"}]}, "Item 2 of the input"),
        ({"messages": [{"role": "user", "content": 5}]}, "Item 1 of the input's messages is not a message"),
        ({"messages": [{"role": "user", "content": [PICTURE]}]}, "The message has no text"),
    ],
)  # fmt: skip
async def test_an_input_that_cannot_be_used_is_refused_with_one_message(
    client: LangGraphClient, given: Any, why: str
) -> None:
    with pytest.raises(Exception, match=f"^BadInput: {why}"):
        await client.runs.wait(None, GRAPH, input=given)


@pytest.mark.parametrize(
    "begun",
    [{"input": None}, {"command": {"resume": {"action": "accept"}}}, {"command": {"update": {"question": "x"}}}],
)
async def test_where_no_run_is_to_be_continued_a_question_is_asked_for(client: LangGraphClient, begun: Any) -> None:
    with pytest.raises(Exception, match=r"^BadInput: There is no run to continue here\. Ask a question\. Send "):
        await client.runs.wait(await thread_of(client), GRAPH, **begun)


@pytest.mark.parametrize("values", [{"messages": 5}, {"question": 5}, {"plans": 5}, {"report": {"markdown": 5}}])
async def test_a_change_of_the_state_that_cannot_be_used_is_refused(client: LangGraphClient, values: Any) -> None:
    thread = (await client.threads.create(graph_id=GRAPH))["thread_id"]
    with pytest.raises(APIStatusError) as refused:
        await client.threads.update_state(thread, values)
    assert 400 <= refused.value.status_code < 500
    with pytest.raises(Exception, match=r"^BadInput: (The (input|state)'s|Item 1)"):
        await client.runs.wait(thread, GRAPH, command={"update": values, "goto": "coordinator"})


async def test_a_picture_in_a_message_is_said_to_be_left_out(client: LangGraphClient) -> None:
    content: Any = [{"type": "text", "text": OWNER}, PICTURE]
    state: Any = await client.runs.wait(None, GRAPH, input=said(content))
    assert any("Pictures" in limit for limit in state["report"]["limits"])
    assert "Pictures" in state["report"]["markdown"]


async def test_updates_messages_and_events_are_streamed(client: LangGraphClient) -> None:
    modes: dict[str, list[Any]] = {}
    wanted: Any = ["updates", "messages-tuple", "custom"]
    asked, thread = {"question": TWO_PARTS}, await thread_of(client)
    async for part in client.runs.stream(thread, GRAPH, input=asked, stream_mode=wanted):
        modes.setdefault(part.event, []).append(part.data)
    assert "error" not in modes
    nodes = {node for update in modes["updates"] for node in update}
    assert {"coordinator", "background_investigator", "planner", "researcher", "reflector", "reporter"} <= nodes
    types = [event["type"] for event in modes["custom"]]
    assert types.index("plan") < types.index("step_started") < types.index("source") < types.index("reflection")
    writers = {about["langgraph_node"] for piece, about in modes["messages"] if piece["type"] == "AIMessageChunk"}
    assert writers == {"reporter"}


async def test_a_plan_is_reviewed_edited_replaced_and_accepted(client: LangGraphClient) -> None:
    context = {"review_plan": True, "max_plan_iterations": 1}
    thread, _ = await researched(client, TWO_PARTS, context=context)
    assert await pending(client, thread)

    async def answered(answer: Any) -> Any:
        return await client.runs.wait(thread, GRAPH, command={"resume": answer}, context=context)

    await answered("[EDIT_PLAN] also the silver chromate tube")
    edited = await pending(client, thread)
    assert any("chromate" in query for step in edited["plan"]["steps"] for query in step["queries"])
    step: dict[str, Any] = {"id": "x", "depends_on": ["nothing"], "title": "t", "description": "d"}
    replaced = {"action": "replace", "plan": {"title": "Tallow only", "steps": [step]}}
    await answered(replaced)
    assert "depends on" in (await pending(client, thread))["problem"]
    step.update(depends_on=[], queries=["tallow in the hollow of the lead"])
    state = await answered(replaced)
    assert [step["title"] for step in state["plan"]["steps"]] == ["t"]
    assert "tallow" in state["report"]["markdown"].lower()


async def test_a_clients_context_cannot_open_any_folder(client: LangGraphClient) -> None:
    with pytest.raises(Exception, match="not open to this server"):
        await client.runs.wait(None, GRAPH, input={"question": TWO_PARTS}, context=FOREIGN)
