"""A person reviews the plan: accepts it, edits it in words, replaces it, or answers nonsense and may answer again."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graph import build_graph
from schemas.context import RunContext
from services.search.providers import allow_folders

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
STEP = {"title": "Tallow", "description": "Find out about tallow", "queries": ["tallow in the lead"]}
REPLACEMENT = {"title": "Only the tallow", "steps": [{"id": "a", **STEP}]}
MALFORMED = {
    "cyclic dependencies": {
        "steps": [{"id": "a", **STEP, "depends_on": ["b"]}, {"id": "b", **STEP, "depends_on": ["a"]}]
    },
    "an unknown dependency": {"steps": [{"id": "a", **STEP, "depends_on": ["z"]}]},
    "a doubled id": {"steps": [{"id": "a", **STEP}, {"id": "a", **STEP}]},
    "no steps": {"steps": []},
    "too many steps": {"steps": [{"id": str(place), **STEP} for place in range(9)]},
    "a step without a title": {"steps": [{"id": "a"}]},
}


class Review:
    """A run that stops at its plan."""

    def __init__(self, docs: Path) -> None:
        allow_folders([docs])
        self.graph = build_graph().compile(checkpointer=InMemorySaver())
        self.config: Any = {"configurable": {"thread_id": "1"}}
        self.context = RunContext(review_plan=True, documents=[str(docs)])

    async def ask(self) -> dict[str, Any]:
        await self.graph.ainvoke({"question": QUESTION}, self.config, context=self.context)
        return await self.waiting()

    async def answer(self, answer: object) -> dict[str, Any]:
        await self.graph.ainvoke(Command(resume=answer), self.config, context=self.context)
        return await self.waiting()

    async def waiting(self) -> dict[str, Any]:
        state = await self.graph.aget_state(self.config)
        return dict(state.interrupts[0].value) if state.interrupts else {}

    async def values(self) -> dict[str, Any]:
        return dict((await self.graph.aget_state(self.config)).values)


@pytest.fixture
def review(docs: Path) -> Review:
    return Review(docs)


async def test_the_run_waits_with_the_plan_and_says_what_can_be_answered(review: Review) -> None:
    request = await review.ask()
    assert request["plan"]["steps"]
    assert "[ACCEPTED]" in request["answers"]
    assert not (await review.values())["results"]


@pytest.mark.parametrize("answer", [{"action": "accept"}, "[ACCEPTED]", " [accepted] "])
async def test_an_accepted_plan_is_carried_out(review: Review, answer: object) -> None:
    planned = (await review.ask())["plan"]["steps"]
    assert await review.answer(answer) == {}
    values = await review.values()
    assert {step["id"] for step in planned} <= set(values["results"])
    assert values["report"].excerpts


@pytest.mark.parametrize(
    "answer", [{"action": "edit", "feedback": "also cover Lord Kelvin"}, "[EDIT_PLAN] also cover Lord Kelvin"]
)
async def test_an_edit_in_words_makes_a_new_plan_to_review(review: Review, answer: object) -> None:
    await review.ask()
    request = await review.answer(answer)
    assert any("Kelvin" in query for step in request["plan"]["steps"] for query in step["queries"])
    assert (await review.values())["plan_iterations"] == 1
    assert await review.answer({"action": "accept"}) == {}


async def test_a_replaced_plan_is_carried_out_as_it_is(review: Review) -> None:
    await review.ask()
    assert await review.answer({"action": "replace", "plan": REPLACEMENT}) == {}
    values = await review.values()
    assert [step.title for step in values["plans"][0].steps] == ["Tallow"]
    assert "Tallow" in values["report"].markdown


@pytest.mark.parametrize("broken", MALFORMED.values(), ids=MALFORMED.keys())
async def test_a_malformed_plan_is_sent_back_with_the_reason(review: Review, broken: dict[str, Any]) -> None:
    await review.ask()
    request = await review.answer({"action": "replace", "plan": {"title": "t", **broken}})
    assert "cannot be used" in request["problem"]
    assert await review.answer({"action": "accept"}) == {}
    assert (await review.values())["report"].excerpts


@pytest.mark.parametrize(
    "nonsense", ["sure, whatever", {"action": "dance"}, 42, {"action": "edit"}, {"action": "replace"}, []]
)
async def test_nonsense_is_sent_back_and_the_run_stays_answerable(review: Review, nonsense: object) -> None:
    await review.ask()
    request = await review.answer(nonsense)
    assert request.get("problem")
    assert await review.answer("[ACCEPTED]") == {}
