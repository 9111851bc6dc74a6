"""A person reviews the plan: accepts it, edits it in words, replaces it, or answers nonsense and may answer again."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graph import build_graph
from schemas.context import RunContext
from services.search.providers import allow_folders
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.long

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
STEP = {"title": "Tallow", "description": "Find out about tallow", "queries": ["tallow in the lead"]}
MALFORMED: dict[str, dict[str, Any]] = {
    "cyclic dependencies": {
        "steps": [{"id": "a", **STEP, "depends_on": ["b"]}, {"id": "b", **STEP, "depends_on": ["a"]}]
    },
    "an unknown dependency": {"steps": [{"id": "a", **STEP, "depends_on": ["z"]}]},
    "a doubled id": {"steps": [{"id": "a", **STEP}, {"id": "a", **STEP}]},
    "no steps": {"steps": []},
    "too many steps": {"steps": [{"id": str(place), **STEP} for place in range(9)]},
    "a step without a title": {"steps": [{"id": "a"}]},
}
NONSENSE: list[object] = [
    " ", "[EDIT_PLAN]", {"action": "dance"}, 42, {"action": "edit"}, {"action": "replace"}, [],
    [{"type": "ignore", "args": None}], {"decisions": []}, [{"type": "edit"}],
]  # fmt: skip
UNREADABLE: list[tuple[object, str]] = [
    ("steps: [", "plan is not YAML, line 1"),
    ("just words", "plan is missing"),
    (7, "plan is missing"),
    ("title: x\nsteps: many", "steps"),
    ("title: x\nsteps: [one, two]", "steps"),
    ("title: x\nsteps: [{queries: [a]}]", "title"),
    ("!!python/object/apply:os.system ['true']", "plan is"),
    ("steps: " + "x" * 50_000, "plan is longer than 50,000 characters"),
    ("[" * 20_000, "plan is nested too deeply"),  # last, since each answer has all before it read again
]
"""Plans as a chat client writes them, and what is wrong."""


class Review:
    """A run that stops at its plan."""

    def __init__(self, docs: Path, **choices: Any) -> None:
        allow_folders([docs])
        self.graph = build_graph().compile(checkpointer=InMemorySaver())
        self.config: Any = {"configurable": {"thread_id": "1"}}
        self.context = RunContext(**({"review_plan": True} | choices), documents=[str(docs)])

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


@pytest.mark.parametrize(
    ("choices", "planned"),
    [({}, True), ({"review_plan": False, "depth": "deep"}, True), ({"review_plan": False}, False)],
)
async def test_a_simple_question_is_planned_where_a_review_or_more_depth_is_chosen(
    docs: Path, endpoint: OpenAIServer, choices: dict[str, Any], planned: bool
) -> None:
    simple = {"intent": "in_scope", "complexity": "simple", "locale": "en-US", "question": QUESTION}
    endpoint.script["coordinator"] = [json.dumps(simple)]
    review = Review(docs, **choices)
    assert bool(await review.ask()) == review.context.review_plan
    assert bool((await review.values())["plans"]) == planned


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "accept"},
        " [accepted] ",
        [{"type": "accept", "args": {"action": "x", "args": {}}}],
        {"decisions": [{"type": "approve"}]},
    ],
)
async def test_an_accepted_plan_is_carried_out(review: Review, answer: object) -> None:
    planned = (await review.ask())["plan"]["steps"]
    assert await review.answer(answer) == {}
    values = await review.values()
    assert {step["id"] for step in planned} <= set(values["results"])
    assert values["report"].excerpts
    [shown] = [one for one in values["messages"] if one.name == "planner"]
    assert "Accept this plan" not in shown.text


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "edit", "feedback": "also cover Lord Kelvin"},
        "[EDIT_PLAN] also cover Lord Kelvin",
        "also cover Lord Kelvin",
        [{"type": "response", "args": "also cover Lord Kelvin"}],
        {"decisions": [{"type": "reject", "message": "also cover Lord Kelvin"}]},
    ],
)
async def test_an_edit_in_words_makes_a_new_plan_to_review(review: Review, answer: object) -> None:
    await review.ask()
    request = await review.answer(answer)
    assert any("Kelvin" in query for step in request["plan"]["steps"] for query in step["queries"])
    values = await review.values()
    assert values["plan_iterations"] == 1
    assert len([one for one in values["messages"] if one.name == "planner"]) == 1


async def test_what_cannot_be_used_is_sent_back_with_the_reason_and_the_run_stays_answerable(review: Review) -> None:
    await review.ask()
    for nonsense in NONSENSE:
        assert (await review.answer(nonsense)).get("problem"), nonsense
    for fault, broken in MALFORMED.items():
        request = await review.answer({"action": "replace", "plan": {"title": "t", **broken}})
        assert "cannot be used" in request["problem"], fault
    for written, why in UNREADABLE:
        request = await review.answer([{"type": "edit", "args": {"action": "x", "args": {"plan": written}}}])
        assert why in request["problem"]
        assert request["action_request"]["action"] == request["problem"]
    assert await review.answer({"action": "accept"}) == {}
    assert (await review.values())["report"].excerpts


async def test_a_person_who_writes_chinese_is_told_in_chinese_what_is_wrong(docs: Path) -> None:
    review = Review(docs, locale="zh-CN")
    await review.ask()
    plans = [{"action": "replace", "plan": {"title": "t", **broken}} for broken in MALFORMED.values()][:-1]
    written = [
        [{"type": "edit", "args": {"action": "x", "args": {"plan": plan}}}] for plan in ("just words", "[" * 20_000)
    ]
    for answer in ("[EDIT_PLAN]", *plans, *written):
        problem = (await review.answer(answer))["problem"]
        assert not re.search("[a-z]{2}", problem.replace("plan", "")), problem


async def test_chat_clients_get_the_form_that_they_know(review: Review) -> None:
    request = await review.ask()
    assert request["action_request"]["action"] == request["message"]
    written = request["action_request"]["args"]["plan"]
    assert yaml.safe_load(written)["title"] == request["plan"]["title"]
    assert set(request["config"]) == {"allow_accept", "allow_edit", "allow_respond", "allow_ignore"}
    assert request["answers"] in request["description"]
    assert request["review_configs"][0]["action_name"] == request["action_requests"][0]["name"]
    shown = (await review.values())["messages"][-1]
    assert (shown.type, shown.name) == ("ai", "planner")
    assert "Accept this plan" in shown.text


@pytest.mark.parametrize("newer", [False, True])
async def test_a_plan_that_was_edited_in_a_chat_client_is_carried_out(review: Review, newer: bool) -> None:
    before = (await review.ask())["plan"]["steps"]
    first = before[0]["id"]
    steps = f"- id: {first}\n  title: Tallow\n  queries: [1875]\n- title: After it\n  depends_on: [{first}]"
    arguments = {"plan": f"title: Two\nsteps:\n{steps}"}
    edited = {"type": "edit", "edited_action": {"name": "x", "args": arguments}}
    older = [{"type": "edit", "args": {"action": "x", "args": arguments}}]
    assert await review.answer({"decisions": [edited]} if newer else older) == {}
    values = await review.values()
    tallow, after = values["plans"][0].steps
    assert (tallow.title, tallow.queries, after.depends_on) == ("Tallow", ["1875"], [tallow.id])
    assert tallow.need_web_search == before[0]["need_web_search"]
    [shown] = [one for one in values["messages"] if one.name == "planner"]
    assert "After it" in shown.text


async def test_a_replaced_plan_has_the_outline_that_it_brings(review: Review) -> None:
    await review.ask()
    outline = [
        {"id": "a", "title": "Grease"},
        {"id": "b", "title": "Samples", "parent": "a"},
        {"id": "c", "title": "x", "parent": "c"},
    ]
    step = {"id": "a", "title": "Tallow", "description": "d", "queries": ["tallow lead"], "nodes": ["b", "nowhere"]}
    await review.answer({"action": "replace", "plan": {"title": "Tallow", "steps": [step], "outline": outline}})
    values = await review.values()
    assert [(node.id, node.title) for node in values["outline"]] == [("1", "Grease"), ("1.1", "Samples"), ("2", "x")]
    assert [(step.title, step.nodes) for step in values["plans"][0].steps] == [("Tallow", ["1.1"])]
    assert values["outline"][1].excerpt_ids
