"""What a run chose holds when a client goes on with it, but for what the client then chooses otherwise."""

from typing import Any

from langgraph_sdk.client import LangGraphClient

from tests.server.conftest import GRAPH, TWO_PARTS, pending, thread_of

FIRST: Any = {"review_plan": True, "max_step_num": 1, "max_plan_iterations": 1}


async def test_an_answer_with_choices_overrides_what_it_names(client: LangGraphClient) -> None:
    thread = await thread_of(client)
    await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS}, context=FIRST)
    more: Any = {"advanced": {"max_step_num": 2}}  # as the page sends them
    await client.runs.wait(thread, GRAPH, command={"resume": "[EDIT_PLAN] both"}, context=more)
    again = await pending(client, thread)
    assert again is not None  # review_plan as at first
    assert len(again["plan"]["steps"]) == 2
    off: Any = {"review_plan": False}
    state: Any = await client.runs.wait(thread, GRAPH, command={"resume": "[EDIT_PLAN] both"}, context=off)
    assert await pending(client, thread) is None
    assert len(state["plan"]["steps"]) <= 2
    assert state["report"]["excerpts"]
