"""What a run chose holds when it is gone on with, whether or not it is said again; a new turn chooses for itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from graph import build_graph
from nodes import coordinator, reflector
from services.run.choices import restored_choices
from services.run.errors import BadInput, SettingsError
from services.run.evidence_store import EvidenceStore
from services.search.providers import allow_folders
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
ACCEPT: Command[Any] = Command(resume={"action": "accept"})


class Thread:
    """A thread whose runs choose as a client's do: with plain data, or with nothing."""

    def __init__(self, docs: Path) -> None:
        allow_folders([docs])
        self.store = InMemoryStore()
        self.graph = build_graph().compile(checkpointer=InMemorySaver(), store=self.store)
        self.config: Any = {"configurable": {"thread_id": "1"}}
        self.first = {"review_plan": True, "documents": [str(docs)], "max_step_num": 1, "max_plan_iterations": 2}

    async def run(self, given: Any, context: Any = None) -> dict[str, Any]:
        return dict(await self.graph.ainvoke(given, self.config, context=context))


@pytest.fixture
def thread(docs: Path) -> Thread:
    return Thread(docs)


async def test_an_edited_plan_comes_back_for_review_though_the_answer_names_no_choices(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, thread.first)
    again = await thread.run(Command(resume={"action": "edit", "feedback": "also cover Lord Kelvin"}))
    assert "__interrupt__" in again
    assert len(again["plan"].steps) <= 1
    report = (await thread.run(ACCEPT))["report"]
    assert {source.title for source in report.sources}
    assert all("deep-sea" not in source.url for source in report.sources)


async def test_what_an_answer_chooses_comes_first_and_holds_from_then_on(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, thread.first)
    again = await thread.run(Command(resume="[EDIT_PLAN] also Kelvin"), {"max_searches": 0, "max_step_num": 2})
    assert len(again["plan"].steps) == 2
    state = await thread.run(ACCEPT)
    assert state["usage"].searches <= 1  # the background's alone, which came before
    assert any("0 searches" in limit or "searches" in limit for limit in state["report"].limits)


async def test_a_new_turn_of_the_thread_chooses_for_itself(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, thread.first)
    await thread.run(ACCEPT)
    own = {"documents": thread.first["documents"]}
    state = await thread.run({"question": "Who owned the yacht Lalla Rookh, and where was the wire tried?"}, own)
    assert "__interrupt__" not in state
    assert state["review"] == "none"


async def test_servers_of_tools_are_not_kept_and_must_be_named_again(thread: Thread) -> None:
    server = {"url": "https://tools.example.org/mcp?token=sesame", "description": "Tides"}
    context = {**thread.first, "mcp_servers": {"tides": server}, "search": "documents"}
    await thread.run({"question": QUESTION}, context)
    state = await thread.graph.aget_state(thread.config)
    kept = await EvidenceStore(thread.store).get_bytes(state.values["choices"])
    assert "sesame" not in f"{state}{kept!r}"
    with pytest.raises(BadInput, match=r"MCP servers \(tides\), which are not stored"):
        await thread.run(ACCEPT)
    assert (await thread.run(ACCEPT, {"mcp_servers": {}}))["report"].excerpts


@contextmanager
def broken(node: ModuleType, function: str) -> Iterator[None]:
    """Let a function of a node fail; the run fails with it."""

    def fails(*_: Any) -> Any:
        raise RuntimeError("broken")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node, function, fails)
        yield


async def test_a_turn_that_stops_in_its_first_node_goes_on_with_its_choices(thread: Thread) -> None:
    with broken(coordinator, "triage_schema"), pytest.raises(RuntimeError, match="broken"):
        await thread.run({"question": QUESTION}, thread.first)
    state = await thread.run(None)
    assert "__interrupt__" in state
    assert len(state["plan"].steps) == 1


async def test_what_was_chosen_on_going_on_holds_when_that_stops_too(thread: Thread) -> None:
    with broken(reflector, "_prompt"):
        for given, context in (
            ({"question": QUESTION}, {**thread.first, "review_plan": False}),
            (None, {"max_searches": 7}),
        ):
            with pytest.raises(RuntimeError, match="broken"):
                await thread.run(given, context)
    state = await thread.graph.aget_state(thread.config)
    now = await restored_choices({}, state, thread.store)
    assert (now.max_searches, now.max_step_num, now.review_plan) == (7, 1, False)


async def test_a_run_that_began_with_a_model_does_not_go_on_without_one(
    thread: Thread, endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    await thread.run({"question": QUESTION}, thread.first)
    environment(OPENAI_API_KEY=None, OPENAI_BASE_URL=None)
    for given in (ACCEPT, None):
        with pytest.raises(SettingsError, match=r"began with a model, and none is set up now"):
            await thread.run(given)
    environment(OPENAI_API_KEY=endpoint.key, OPENAI_BASE_URL=endpoint.base_url)
    asked = len(endpoint.requests)
    assert (await thread.run(ACCEPT))["report"].excerpts
    assert len(endpoint.requests) > asked


async def test_a_run_goes_on_without_its_model_if_that_is_chosen(
    thread: Thread, endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    await thread.run({"question": QUESTION}, thread.first)
    asked = len(endpoint.requests)
    environment(OPENAI_API_KEY=None, OPENAI_BASE_URL=None)
    assert (await thread.run(ACCEPT, {"models": {"default": "offline"}}))["report"].excerpts
    assert len(endpoint.requests) == asked
