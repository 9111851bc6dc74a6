"""Runs that are stopped on a server leave nothing running; and what becomes of a second run on the same thread."""

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import psutil
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError

from schemas.coder import Code
from schemas.planner import Plan, Step
from tests.conftest import PROJECT
from tests.fakes.held_model import HeldModel
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, openai_server
from tests.server.conftest import GRAPH, OWNER, TWO_PARTS, dev_server, model_of, papers, said, thread_of
from tests.server.test_thread_ids import mentions
from tests.services.tools.mcp.conftest import left, until

FIRST, SECOND = OWNER, "Why was tallow pressed into the lead?"
Served = tuple[str, psutil.Process, OpenAIServer]
MARK = "mark-of-a-server-of-tools"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve with a model whose answers can be held back, and with a server of tools."""
    home = tmp_path_factory.mktemp("stopping")
    fake = ["-P", str(PROJECT / "tests" / "fakes" / "mcp_server.py"), "pump"]
    pump = {"command": sys.executable, "args": fake, "env": {"LEADLINE_TEST": MARK}}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"pump": pump}}))
    with openai_server() as endpoint:
        settings = {
            "LEADLINE_DOCS": str(papers(home)),
            "LEADLINE_MCP": str(home / "mcp.json"),
            **model_of(endpoint),
        }
        with dev_server(home, **settings) as (address, process):
            yield address, psutil.Process(process.pid), endpoint


def plan() -> str:
    """Return a plan of a program that takes its time, and of research with tools."""
    computing = Step(id="1", title="Wait", description="Wait.", step_type="processing", need_web_search=False)
    counting = Step(id="2", title="Count", description="Count.", need_web_search=False, tools=["pump"])
    return Plan(title="Waiting", steps=[computing, counting]).model_dump_json()


def programs(server: psutil.Process) -> list[str]:
    """Return the programs of models that run below the server."""
    found = []
    for child in server.children(recursive=True):
        try:
            line = child.cmdline()
        except psutil.NoSuchProcess:
            continue
        if any(part.endswith("jail.py") for part in line) and "second" in " ".join(line):
            found.append(" ".join(line))
    return found


@pytest.mark.parametrize("action", ["interrupt", "rollback"])
async def test_a_cancelled_run_leaves_no_call_no_program_and_no_server_of_tools(
    served: Served, client: LangGraphClient, action: Literal["interrupt", "rollback"]
) -> None:
    _, server, endpoint = served
    slow = Code(description="waits", code="import time\ntime.sleep(50)\nprint('The pump counted 1 casts.')\n")
    endpoint.script = {"planner": [plan()], "coder": [slow.model_dump_json()], "researcher": [Reply(stall=50)]}
    asked = len(endpoint.requests)
    thread = await thread_of(client)
    run: Any = await client.runs.create(thread, GRAPH, input={"question": TWO_PARTS})
    await until(lambda: {"coder", "researcher"} <= set(endpoint.roles[asked:]))
    await until(lambda: bool(left(MARK)) and bool(programs(server)))
    await client.runs.cancel(thread, run["run_id"], wait=True, action=action)
    calls = len(endpoint.requests)
    assert all(of_a_run_about(TWO_PARTS, one) for one in endpoint.requests[asked:])
    await until(lambda: not left(MARK) and not programs(server))
    if action == "rollback":
        with pytest.raises(NotFoundError):
            await client.runs.get(thread, run["run_id"])
    else:
        assert (await client.runs.get(thread, run["run_id"]))["status"] == "interrupted"
    endpoint.script = {}
    state: Any = await client.runs.wait(thread, GRAPH, input={"question": SECOND})
    assert "tallow" in state["report"]["markdown"].lower()
    assert not [one for one in endpoint.requests[calls:] if of_a_run_about(TWO_PARTS, one)]


def of_a_run_about(question: str, request: dict[str, Any]) -> bool:
    """Tell whose request it is: that of a run about the second question may show the first, in its conversation."""
    prompt = json.dumps(request["messages"])
    return question in prompt and SECOND not in prompt


@pytest.fixture
def held(served: Served) -> Iterator[HeldModel]:
    """Hold the model's answers to a run about the first question back."""
    endpoint = served[2]
    endpoint.script = {}
    model = HeldModel(endpoint)
    model.hold(lambda number: of_a_run_about(FIRST, endpoint.requests[number - 1]))
    yield model
    model.release()
    endpoint.on_request = None


async def begun(client: LangGraphClient, held: HeldModel) -> tuple[str, str]:
    """Start a run on a new thread; return when its first call is under way."""
    thread = await thread_of(client)
    run: Any = await client.runs.create(thread, GRAPH, input=said(FIRST))
    await asyncio.to_thread(held.reached.wait, 60)
    return thread, run["run_id"]


async def second(client: LangGraphClient, thread: str, strategy: Any) -> Any:
    return await client.runs.wait(thread, GRAPH, input=said(SECOND), multitask_strategy=strategy)


def questions(state: Any) -> list[str]:
    return [one["content"] for one in state["messages"] if one["type"] == "human"]


async def test_a_second_run_is_rejected_where_it_is_so_wished(client: LangGraphClient, held: HeldModel) -> None:
    thread, run = await begun(client, held)
    with pytest.raises((ConflictError, Exception), match="409"):
        await second(client, thread, "reject")
    held.release()
    await client.runs.join(thread, run)
    state: Any = (await client.threads.get_state(thread))["values"]
    assert questions(state) == [FIRST]
    assert "Lalla Rookh" in state["report"]["markdown"]


async def test_a_second_run_waits_for_the_first_where_nothing_is_said(client: LangGraphClient, held: HeldModel) -> None:
    thread, run = await begun(client, held)
    waiting = asyncio.create_task(second(client, thread, None))
    await asyncio.sleep(1)
    assert [one["status"] for one in await client.runs.list(thread)] == ["pending", "running"]
    held.release()
    state = await waiting
    assert questions(state) == [FIRST, SECOND]
    assert "tallow" in state["report"]["markdown"].lower()
    assert (await client.runs.get(thread, run))["status"] == "success"


@pytest.mark.parametrize("strategy", ["interrupt", "rollback"])
async def test_a_second_run_takes_the_place_of_the_first(
    served: Served, client: LangGraphClient, held: HeldModel, strategy: str
) -> None:
    endpoint = served[2]
    thread, run = await begun(client, held)
    calls = len(endpoint.requests)
    state = await second(client, thread, strategy)
    held.release()
    assert "tallow" in state["report"]["markdown"].lower()
    assert questions(state) == ([SECOND] if strategy == "rollback" else [FIRST, SECOND])
    runs = {one["run_id"]: one["status"] for one in await client.runs.list(thread)}
    assert runs.get(run) == (None if strategy == "rollback" else "interrupted")
    assert not [one for one in endpoint.requests[calls:] if of_a_run_about(FIRST, one)]


async def test_threads_that_are_deleted_at_a_time_take_no_other_with_them(client: LangGraphClient) -> None:
    threads = [await thread_of(client) for _ in range(24)]
    gone, kept = threads[::2], threads[1::2]
    await asyncio.gather(*map(client.threads.delete, gone))
    found: list[Any] = await client.threads.search(ids=threads, limit=50)
    assert sorted(one["thread_id"] for one in found) == sorted(kept)


async def test_a_deletion_stops_the_runs_of_its_thread(
    served: Served, client: LangGraphClient, held: HeldModel
) -> None:
    process, endpoint = served[1:]
    thread, _ = await begun(client, held)
    await client.runs.create(thread, GRAPH, input=said(SECOND))
    calls = len(endpoint.requests)
    await client.threads.delete(thread)
    held.release()
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)
    home = Path(process.cwd())
    await until(lambda: not mentions(home, thread))
    await asyncio.sleep(2)  # in which a run that went on would ask and write
    assert endpoint.requests[calls:] == []
    assert mentions(home, thread) == []
