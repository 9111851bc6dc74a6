"""What somebody says to a run while it goes on: it is followed at the next boundary, journaled, and survives a crash."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graph import build_graph
from nodes import planner, reflector
from schemas.steering import MAX_MESSAGES, MAX_TEXT, SteeringAction
from services.run.errors import BadInput
from services.run.journal import Recording, replaying, run_key
from services.run.run_messages import leave_message
from services.search.providers import allow_folders
from services.turn.steering import Standing, steer_thread
from tests.graph.test_choices import broken

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"


class Thread:
    """A thread whose run stops before a node, so that something can be said to it there."""

    def __init__(self, docs: Path) -> None:
        allow_folders([docs])
        self.store = InMemoryStore()
        self.graph = build_graph().compile(checkpointer=InMemorySaver(), store=self.store)
        self.config: Any = {"configurable": {"thread_id": "1"}}
        self.context: Any = {"documents": [str(docs)], "max_plan_iterations": 1}
        self.events: list[Any] = []

    async def run(self, given: Any, until: tuple[str, ...] = ()) -> dict[str, Any]:
        async for mode, part in self.graph.astream(
            given, self.config, context=self.context, stream_mode=["custom", "values"], interrupt_before=until
        ):
            if mode == "custom":
                self.events.append(part)
        return dict((await self.graph.aget_state(self.config)).values)

    async def say(self, text: str = "", action: SteeringAction = "message", *steps: str) -> Any:
        state = await self.graph.aget_state(self.config)
        values = state.values if isinstance(state.values, dict) else {}
        return await steer_thread(
            self.store, Standing("1", state.next, values, state.metadata or {}), text, action, steps
        )

    def told(self) -> list[str]:
        return [event["title"] for event in self.events if event["type"] == "steering"]


@pytest.fixture
def thread(docs: Path) -> Thread:
    return Thread(docs)


async def test_a_message_before_the_steps_leads_to_another_plan(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("research_team",))
    await thread.say("also the silver chromate tube")
    state = await thread.run(None)
    first, second = state["plans"]
    assert "chromate" in " ".join(second.steps[0].queries)
    assert {step.title for step in first.steps} <= {
        step.title for step in second.steps
    }  # what was not done is planned again
    assert [step.id for step in second.steps] == ["3", "4", "5"]
    assert set(state["results"]) == {"3", "4", "5"}
    assert thread.told() == ["Taken into account: also the silver chromate tube"]
    [message] = state["steering"]
    assert (message.plan, message.planned, message.action) == (1, True, "message")
    assert state["report"].excerpts


async def test_a_step_is_left_out(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("research_team",))
    message = await thread.say("", "skip", "2")
    assert (message.action, message.steps) == ("skip", ["2"])
    state = await thread.run(None)
    assert len(state["plans"]) == 1
    assert (state["results"]["1"].status, state["results"]["2"].status) == ("done", "skipped")
    assert state["results"]["2"].error == "skipped at your request"
    assert state["results"]["2"].attempts == 1
    assert thread.told() == ["Skipped at your request: step 2"]


async def test_stopping_writes_the_report_from_what_there_is(thread: Thread) -> None:
    thread.context["max_plan_iterations"] = 3
    await thread.run({"question": QUESTION}, ("reflector",))
    await thread.say("", "write")
    state = await thread.run(None)
    assert len(state["plans"]) == 1
    assert state["report"].excerpts
    assert "stopped at your request" in " ".join(state["report"].limits)
    assert not state["reflections"]


async def test_an_added_question_is_researched_and_answered(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("planner",))
    await thread.say("Who owned the schooner Lalla Rookh?")
    state = await thread.run(None)
    assert len(state["plans"]) == 1
    markdown = state["report"].markdown
    assert "tallow" in markdown.lower()
    assert "schooner Lalla Rookh" in markdown


async def test_what_a_boundary_took_holds_after_a_crash_and_in_a_replay(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("research_team",))
    await thread.say("also the silver chromate tube")
    with broken(planner, "settle_draft"), pytest.raises(RuntimeError, match="broken"):
        await thread.run(None)
    state = await thread.run(None)
    assert len(state["steering"]) == 1
    assert thread.told() == ["Taken into account: also the silver chromate tube"]
    recording = await Recording.load(thread.store, run_key("1", state["turn"]), "1")
    again = build_graph().compile(checkpointer=InMemorySaver(), store=thread.store)
    with replaying(recording):
        replayed = await again.ainvoke({"question": QUESTION}, thread.config, context=thread.context)
    assert replayed["report"].markdown == state["report"].markdown
    assert replayed["steering"] == state["steering"]


async def test_a_message_that_comes_too_late_is_answered(thread: Thread) -> None:
    with pytest.raises(BadInput, match="No run has started"):
        await thread.say("only the tallow")
    await thread.run({"question": QUESTION}, ("reporter",))
    with pytest.raises(BadInput, match="being written"):
        await thread.say("only the tallow")
    await thread.run(None)
    with pytest.raises(BadInput, match=r"already written.*after=.latest"):
        await thread.say("only the tallow")


async def test_a_message_that_comes_when_the_report_begins_is_told_as_not_researched(thread: Thread) -> None:
    state = await thread.run({"question": QUESTION}, ("reporter",))
    await leave_message(thread.store, run_key("1", state["turn"]), "message", "Also: who paid for it")
    state = await thread.run(None)
    [told] = thread.told()
    assert told in state["report"].limits
    assert "Also: who paid" in told
    assert "leadline follow" in told
    assert not state["steering"][0].planned


async def test_a_message_that_comes_while_the_reflection_is_made_leads_to_another_plan(
    thread: Thread, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = vars(reflector)["ask"]

    async def asked(*given: Any) -> Any:
        if not thread.told():
            await thread.say("Also: who paid for it")
        return await ask(*given)

    monkeypatch.setattr(reflector, "ask", asked)
    state = await thread.run({"question": QUESTION})
    assert len(state["plans"]) == 2
    assert state["steering"][0].planned
    assert thread.told() == ["Taken into account: Also: who paid for it"]


async def test_messages_steer_the_turn_that_they_were_meant_for_alone(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("reflector",))
    await thread.say("", "write")
    await thread.run(None)
    state = await thread.run({"question": "Who owned the yacht Lalla Rookh, and where was the wire tried?"})
    assert state["steering"] == []
    assert "stopped at your request" not in " ".join(state["report"].limits)


async def test_messages_are_bounded(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("research_team",))
    for wrong, why in (("  ", "empty"), ("x" * (MAX_TEXT + 1), "at most 2,000")):
        with pytest.raises(BadInput, match=why):
            await thread.say(wrong)
    with pytest.raises(BadInput, match="no step 9"):
        await thread.say("", "skip", "9")
    for number in range(MAX_MESSAGES):
        await thread.say(f"also {number}")
    with pytest.raises(BadInput, match="the maximum"):
        await thread.say("also one more")


async def test_a_message_before_the_report_was_asked_for_is_a_limit_and_no_part_of_the_question(thread: Thread) -> None:
    await thread.run({"question": QUESTION}, ("research_team",))
    await thread.say("also the silver chromate tube")
    await thread.say("", "write")
    report = (await thread.run(None))["report"]
    assert "chromate" not in report.title
    assert [limit for limit in report.limits if "chromate" in limit] == [
        "Your message was not researched before the report was written: “also the silver chromate tube”. "
        "Ask it as a follow-up: leadline follow."
    ]
