"""A run on the real dev server is steered over its API, and so is one that goes on after the server was killed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client

from schemas.steering import MAX_MESSAGES
from tests.fakes.held_model import HeldModel
from tests.fakes.openai_server import openai_server
from tests.server.conftest import (
    GRAPH,
    TWO_PARTS,
    USERS,
    User,
    dev_server,
    model_of,
    papers,
    pending,
    thread_of,
    until_written_down,
    user,
)

SHORT: Any = {"max_plan_iterations": 1}


def settings_of(model: HeldModel) -> dict[str, str]:
    return {**model_of(model.endpoint), "LEADLINE_MODEL": "gpt-4o"}


@pytest.fixture(scope="module")
def behind() -> Iterator[HeldModel]:
    with openai_server() as endpoint:
        held = HeldModel(endpoint)
        yield held
        held.release()


@pytest.fixture(scope="module")
def steered(behind: HeldModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("steered")
    settings = {"LEADLINE_DOCS": papers(home).name, "LEADLINE_TOKENS": USERS, **settings_of(behind)}
    with dev_server(home, **settings) as (address, _):
        yield address


async def begun(of: User, model: HeldModel, role: str, question: str = TWO_PARTS, **context: Any) -> tuple[str, str]:
    """Begin a run, and wait until a role is asked, which is held."""
    model.hold_role(role)
    thread = await thread_of(of.api)
    chosen: Any = {**SHORT, **context}
    run = await of.api.runs.create(thread, GRAPH, input={"question": question}, context=chosen)
    assert await asyncio.to_thread(model.reached.wait, 30)
    return thread, str(run["run_id"])


async def say(of: User, thread: str, **said: Any) -> httpx.Response:
    return await of.http.post(f"/steering/{thread}", json=said)


@pytest.fixture
async def ada(steered: str, behind: HeldModel) -> AsyncIterator[User]:
    async with user(steered, "ada") as connected:
        yield connected
    behind.release()


@pytest.fixture
async def grace(steered: str) -> AsyncIterator[User]:
    async with user(steered, "grace") as connected:
        yield connected


async def test_a_message_reaches_the_planner_and_stands_in_the_state(ada: User, behind: HeldModel) -> None:
    thread, run = await begun(ada, behind, "planner")
    answer = await say(ada, thread, text="also the silver chromate tube")
    assert (answer.status_code, answer.json()["action"]) == (202, "message")
    assert [one["text"] for one in (await ada.http.get(f"/steering/{thread}")).json()] == [
        "also the silver chromate tube"
    ]
    behind.release()
    state = await ada.api.runs.join(thread, run)
    assert len(state["plans"]) == 2
    assert any("chromate" in query for step in state["plans"][1]["steps"] for query in step["queries"])
    [heard] = state["steering"]
    assert (heard["text"], heard["plan"], heard["planned"]) == ("also the silver chromate tube", 1, True)
    assert (await ada.http.get(f"/steering/{thread}")).json() == []
    history: Any = await ada.api.threads.get_history(thread, limit=50)
    assert any(len(one["values"].get("plans") or []) == 1 and one["values"].get("steering") for one in history)


async def test_buttons_skip_a_step_and_have_the_report_written(ada: User, behind: HeldModel) -> None:
    thread, run = await begun(ada, behind, "researcher")
    assert (await say(ada, thread, action="skip", steps=["9"])).status_code == 409
    assert (await say(ada, thread, action="skip", steps=["../2"])).status_code == 422
    assert (await say(ada, thread, action="skip", steps=["2"])).status_code == 202
    assert (await say(ada, thread, action="write")).status_code == 202
    behind.release()
    state = await ada.api.runs.join(thread, run)
    assert [one["action"] for one in state["steering"]] == ["skip", "write"]
    assert not state["reflections"]
    assert any("stopped at your request" in limit for limit in state["report"]["limits"])


async def test_what_cannot_be_followed_is_answered(ada: User, grace: User, behind: HeldModel) -> None:
    thread, run = await begun(ada, behind, "reporter")
    assert (await say(grace, thread, text="stop")).status_code == 404
    assert (await grace.http.get(f"/steering/{thread}")).status_code == 404
    assert (await say(ada, "0" * 8, text="stop")).status_code == 404
    assert (await say(ada, thread, text="x" * 2_001)).status_code == 422
    assert (await say(ada, thread, text="stop", wait=1)).status_code == 422
    late = await say(ada, thread, text="only the tallow")
    assert (late.status_code, "being written" in late.json()["detail"]) == (409, True)
    assert "leadline" not in late.json()["detail"]
    behind.release()
    await ada.api.runs.join(thread, run)
    late = await say(ada, thread, text="only the tallow")
    assert (late.status_code, "Ask a follow-up" in late.json()["detail"]) == (409, True)
    fresh = await thread_of(ada.api)
    assert "No run has started" in (await say(ada, fresh, text="only the tallow")).json()["detail"]


async def test_messages_that_come_at_once_stay_within_their_number(ada: User, behind: HeldModel) -> None:
    thread, run = await begun(ada, behind, "planner")
    answers = await asyncio.gather(*(say(ada, thread, text=f"only the tallow {n}") for n in range(MAX_MESSAGES + 10)))
    assert sorted(answer.status_code for answer in answers) == [202] * MAX_MESSAGES + [409] * 10
    assert len((await ada.http.get(f"/steering/{thread}")).json()) == MAX_MESSAGES
    await ada.api.runs.cancel(thread, run, wait=False)
    behind.release()


async def test_a_queued_question_is_the_next_turn_and_is_not_steered(ada: User, behind: HeldModel) -> None:
    thread, run = await begun(ada, behind, "researcher")
    await say(ada, thread, action="write")
    following: Any = {"question": "Who invented the detachable sounder, and where was the wire tried?"}
    queued = await ada.api.runs.create(thread, GRAPH, input=following, context=SHORT, multitask_strategy="enqueue")
    behind.release()
    await ada.api.runs.join(thread, run)
    state = await ada.api.runs.join(thread, queued["run_id"])
    assert state["question"] == following["question"]
    assert state["steering"] == []
    assert not any("stopped at your request" in limit for limit in state["report"]["limits"])


async def test_a_server_that_is_killed_follows_what_was_said(tmp_path: Path) -> None:
    with openai_server() as endpoint:
        model = HeldModel(endpoint)
        environment = {**settings_of(model), "LEADLINE_DOCS": str(papers(tmp_path))}
        with dev_server(tmp_path, **environment) as (address, process):
            async with get_client(url=address) as api, httpx.AsyncClient(base_url=address) as http:
                thread, run = await begun(User(api, http), model, "researcher")
                assert (await say(User(api, http), thread, action="write")).status_code == 202
            await asyncio.to_thread(until_written_down, tmp_path, run)
            process.kill()
            process.wait()
        asked = endpoint.roles.count("researcher")
        model.release()
        with dev_server(tmp_path, **environment) as (address, _):
            async with get_client(url=address) as api:
                state = await api.runs.join(thread, run)
        assert any("stopped at your request" in limit for limit in state["report"]["limits"])
        assert endpoint.roles.count("researcher") == asked


async def test_a_message_while_the_question_is_read_is_heard_in_any_turn(ada: User, behind: HeldModel) -> None:
    thread = await thread_of(ada.api)
    for question in (TWO_PARTS, "Who invented the detachable sounder, and where was the wire tried?"):
        behind.hold_role("coordinator")
        run = await ada.api.runs.create(thread, GRAPH, input={"question": question}, context=SHORT)
        assert await asyncio.to_thread(behind.reached.wait, 30)
        assert (await say(ada, thread, text="also the silver chromate tube")).status_code == 202
        behind.release()
        state = await ada.api.runs.join(thread, run["run_id"])
        [heard] = state["steering"]
        assert (heard["plan"], heard["planned"]) == (0, True)
        assert any("chromate" in query for step in state["plans"][0]["steps"] for query in step["queries"])


async def test_a_run_stopped_while_it_reads_the_question_goes_on_with_its_choices(ada: User, behind: HeldModel) -> None:
    thread, run = await begun(ada, behind, "coordinator", review_plan=True, max_step_num=1)
    await ada.api.runs.cancel(thread, run, wait=True)
    behind.release()
    assert (await ada.api.threads.get_state(thread))["next"] == ["coordinator"]
    await ada.api.runs.wait(thread, GRAPH, input=None)
    asked = await pending(ada.api, thread)
    assert asked is not None
    assert len(asked["plan"]["steps"]) == 1
