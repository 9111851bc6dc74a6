"""What a run chose holds when a client goes on with it, whether or not the client says it again."""

import asyncio
import threading
from pathlib import Path
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.fakes.openai_server import openai_server
from tests.server.conftest import dev_server, papers
from tests.server.test_dev_server import GRAPH, TWO_PARTS, thread_of

FIRST: Any = {"review_plan": True, "max_step_num": 1, "max_plan_iterations": 1}


async def pending(client: LangGraphClient, thread: str) -> Any:
    """Return what the thread asks a person, or None."""
    state: Any = await client.threads.get_state(thread)
    asked = [interrupt["value"] for task in state["tasks"] for interrupt in task["interrupts"]]
    return asked[0] if asked else None


async def test_an_answer_without_choices_goes_on_with_the_runs(client: LangGraphClient) -> None:
    thread = await thread_of(client)
    await client.runs.wait(thread, GRAPH, input={"question": TWO_PARTS}, context=FIRST)
    assert len((await pending(client, thread))["plan"]["steps"]) == 1
    await client.runs.wait(thread, GRAPH, command={"resume": "[EDIT_PLAN] also the silver chromate tube"})
    again = await pending(client, thread)
    assert again is not None
    assert len(again["plan"]["steps"]) == 1
    state: Any = await client.runs.wait(thread, GRAPH, command={"resume": "[ACCEPTED]"})
    assert state["report"]["excerpts"]
    assert len(state["plans"]) == 1


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


async def test_a_run_stopped_while_it_reads_the_question_goes_on_with_its_choices(tmp_path: Path) -> None:
    with openai_server() as endpoint:
        reached, let = threading.Event(), threading.Event()

        def hold(_: int) -> None:
            reached.set()
            let.wait(30)

        endpoint.on_request = hold
        keys = {"OPENAI_API_KEY": endpoint.key, "OPENAI_BASE_URL": endpoint.base_url, "LEADLINE_MODEL": "gpt-4o"}
        documents = str(papers(tmp_path))
        with dev_server(tmp_path, LEADLINE_DOCS=documents, LEADLINE_EMBEDDINGS_MODEL="none", **keys) as (address, _):
            async with get_client(url=address) as client:
                thread = await thread_of(client)
                run: Any = await client.runs.create(thread, GRAPH, input={"question": TWO_PARTS}, context=FIRST)
                await asyncio.to_thread(reached.wait, 30)
                await client.runs.cancel(thread, run["run_id"], wait=True)
                endpoint.on_request = None
                let.set()
                assert (await client.threads.get_state(thread))["next"] == ["coordinator"]
                await client.runs.wait(thread, GRAPH, input=None)
                asked = await pending(client, thread)
                assert asked is not None
                assert len(asked["plan"]["steps"]) == 1
