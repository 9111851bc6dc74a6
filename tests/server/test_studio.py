"""What a person sees in Studio, by what it reads of the real dev server: forms, graph, chat, interrupts, forks."""

import re
from typing import Any

import pytest
import yaml
from langgraph_sdk.client import LangGraphClient

from graph.context import COMMON
from graph.machine import DESCRIPTIONS
from schemas.context import FOLLOW_DEPTH, RunContext
from schemas.depth import DEPTHS, LEVELS
from tests.conftest import EXAMPLES
from tests.server.conftest import GRAPH, TWO_PARTS, pending, researched, said, thread_of


async def schemas_of(client: LangGraphClient) -> Any:
    [assistant] = await client.assistants.search(graph_id=GRAPH)
    return await client.assistants.get_schemas(assistant["assistant_id"])


async def test_the_context_form_is_described_bounded_and_grouped_by_node(client: LangGraphClient) -> None:
    schemas = await schemas_of(client)
    assert list(schemas["input_schema"]["properties"]) == ["question", "messages"]
    fields = schemas["context_schema"]["properties"]
    assert all(field.get("title") and field.get("description") and "default" in field for field in fields.values())
    advanced = fields["advanced"]["properties"]
    assert all(field.get("title") and field.get("description") and "default" in field for field in advanced.values())
    assert (fields["max_plan_iterations"]["minimum"], fields["max_plan_iterations"]["maximum"]) == (1, 10)
    assert fields["length"]["enum"] == ["brief", "standard", "full"]
    assert (fields["depth"]["enum"], fields["depth"]["default"]) == (list(DEPTHS), "standard")
    [assistant] = await client.assistants.search(graph_id=GRAPH)
    drawn: Any = await client.assistants.get_graph(assistant["assistant_id"])
    names = {node["id"] for node in drawn["nodes"]}
    shown = {node for field in [*fields.values(), *advanced.values()] for node in field.get("langgraph_nodes", [])}
    assert shown < names
    assert {"coordinator", "planner", "researcher", "coder", "reflector", "reporter"} <= shown


async def test_the_form_has_the_common_choices_and_one_object_with_the_others(client: LangGraphClient) -> None:
    fields = (await schemas_of(client))["context_schema"]["properties"]
    assert tuple(fields) == (*COMMON, "advanced")
    assert len(fields) == 15
    others = set(RunContext.model_fields) - set(COMMON)
    assert set(fields["advanced"]["properties"]) == set(fields["advanced"]["default"]) == others


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"advanced": {"max_results": 99}}, "max_results cannot be 99"),
        ({"max_results": 99}, "max_results cannot be 99"),
        ({"deptth": "quick"}, "There is no choice 'deptth'. Did you mean depth?"),
        ({"models": {"planer": {}}}, "models.planer cannot be 'planer': Input should be 'coordinator', 'planner'"),
        (
            {"advanced": {"prompts": {"planer": "x"}}},
            "prompts.planer cannot be 'planer': Input should be 'coordinator'",
        ),
        ({"profile": "x"}, "profile cannot be 'x': Input should be an object."),
        ({"advanced": "no", "deptth": "quick"}, "The choice 'advanced' must be an object"),
    ],
)
async def test_every_choice_counts_or_is_refused(client: LangGraphClient, context: Any, said: str) -> None:
    with pytest.raises(Exception, match=re.escape(said)):
        await client.runs.wait(None, GRAPH, input={"question": TWO_PARTS}, context=context)
    assistant = (await client.assistants.create(GRAPH, context=context))["assistant_id"]
    with pytest.raises(Exception, match=re.escape(said)):
        await client.runs.wait(None, assistant, input={"question": TWO_PARTS})
    await client.assistants.update(assistant, context={"depth": "quick"})
    await client.runs.wait(None, assistant, input={"question": TWO_PARTS})
    await client.assistants.update(assistant, context=context)
    with pytest.raises(Exception, match=re.escape(said)):
        await client.runs.wait(None, assistant, input={"question": TWO_PARTS})
    await client.assistants.delete(assistant)


async def test_a_run_keeps_the_advanced_choices_of_its_assistant(client: LangGraphClient) -> None:
    own: Any = {"include_domains": ["who.int"], "words": 400}
    assistant = await client.assistants.create(GRAPH, context=own)
    thread = await thread_of(client)
    chosen: Any = {"words": 300, "documents": ["/etc"]}  # the run ends at once, as this folder is not open
    question = {"question": TWO_PARTS}
    await client.runs.wait(thread, assistant["assistant_id"], input=question, context=chosen, raise_error=False)
    runs: Any = await client.runs.list(thread)
    assert runs[0]["kwargs"]["context"]["advanced"] == {"include_domains": ["who.int"], "words": 300}
    await client.assistants.delete(assistant["assistant_id"])
    with pytest.raises(Exception, match="404"):
        await client.runs.wait(thread, assistant["assistant_id"], input=question, context=chosen)


async def test_what_the_form_filled_in_itself_is_no_choice_beside_the_depth(client: LangGraphClient) -> None:
    fields = (await schemas_of(client))["context_schema"]["properties"]
    filled: Any = {name: field["default"] for name, field in fields.items()}
    assert {name for name in FOLLOW_DEPTH if filled[name] is None} == FOLLOW_DEPTH
    chosen = {**filled, "depth": "quick", "search": "documents"}
    asked, thread = {"question": TWO_PARTS}, await thread_of(client)
    parts = [
        part async for part in client.runs.stream(thread, GRAPH, input=asked, context=chosen, stream_mode="custom")
    ]
    told = [part.data["data"] for part in parts if part.event == "custom" and part.data["type"] == "estimate"]
    assert [(one["depth"], one["seconds"]) for one in told] == [("quick", LEVELS["quick"].seconds)]
    state: Any = (await client.threads.get_state(thread))["values"]
    assert state["report"]["plans"] == []
    assert state["report"]["excerpts"]


async def test_every_node_of_the_graph_says_what_it_does(client: LangGraphClient) -> None:
    [assistant] = await client.assistants.search(graph_id=GRAPH)
    drawn: Any = await client.assistants.get_graph(assistant["assistant_id"])
    said = {one["id"]: one.get("metadata", {}).get("description", {}).get("en") for one in drawn["nodes"]}
    assert said == {"__start__": None, **DESCRIPTIONS, "__end__": None}


async def test_an_edited_prompt_is_recorded_by_its_hash(client: LangGraphClient) -> None:
    context: Any = {"advanced": {"prompts": {"planner": "Plan at most {{ max_step_num }} steps in {{ locale }}."}}}
    state: Any = await client.runs.wait(None, GRAPH, input={"question": TWO_PARTS}, context=context)
    assert state["report"]["prompts"]["planner"].startswith("custom:")
    assert isinstance(state["report"]["prompts"]["reporter"], int)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Plan for {{ weather }}.", "prompts.planner uses the variable 'weather', which does not exist"),
        ("{{ ''.__class__.__mro__ }}", "prompts.planner, line 1: '__mro__' cannot be used"),
    ],
)
async def test_a_prompt_that_cannot_be_used_is_refused_before_anything_is_asked(
    client: LangGraphClient, text: str, why: str
) -> None:
    context: Any = {"advanced": {"prompts": {"planner": text}}}
    with pytest.raises(Exception, match=why):
        await client.runs.wait(None, GRAPH, input={"question": TWO_PARTS}, context=context)


async def test_chat_mode_takes_messages_and_answers_with_the_report(client: LangGraphClient) -> None:
    thread = await thread_of(client)
    await client.runs.wait(thread, GRAPH, input=said("When was William Thomson born, and where?"))
    state: Any = await client.runs.wait(thread, GRAPH, input={"question": "When was he knighted?"})
    assert "William Thomson" in state["triage"]["question"]
    assert [one["type"] for one in state["messages"]] == ["human", "ai", "human", "ai"]
    assert state["messages"][-1]["content"].startswith(f"# {state['report']['title']}")
    unclear: Any = await client.runs.wait(thread, GRAPH, input=said("?!"))
    assert unclear["report"] is None
    assert unclear["former"]["sources"]


async def test_an_interrupt_says_what_to_answer_and_stays_answerable(client: LangGraphClient) -> None:
    context: Any = {"review_plan": True, "max_plan_iterations": 1}
    thread, _ = await researched(client, TWO_PARTS, context=context)
    for wrong in (" ", {"action": "edit"}, {"action": "replace"}, 7, {"action": "replace", "plan": {"title": "x"}}):
        asked = await pending(client, thread)
        assert "[ACCEPTED]" in asked["answers"]
        assert asked["plan"]["steps"]
        await client.runs.wait(thread, GRAPH, command={"resume": wrong}, context=context)
        assert (await pending(client, thread))["problem"]
    state: Any = await client.runs.wait(thread, GRAPH, command={"resume": {"action": "accept"}}, context=context)
    assert state["report"]["excerpts"]


async def test_a_plan_edited_in_the_past_is_what_the_run_goes_on_with(client: LangGraphClient) -> None:
    once: Any = {"max_plan_iterations": 1}
    thread, before = await researched(client, TWO_PARTS, context=once)
    history: Any = await client.threads.get_history(thread, limit=50)
    planned = next(one for one in history if one["next"] == ["research_team"] and one["values"]["plan"])
    plan = planned["values"]["plan"]
    assert len(plan["steps"]) == 2
    kept, dropped = plan["steps"]
    arming = {"title": "Arming", "description": "Find out: tallow", "queries": ["tallow in the hollow of the lead"]}
    edited = {**plan, "steps": [kept, {**dropped, **arming}]}
    forked: Any = await client.threads.update_state(
        thread, {"plan": edited}, checkpoint_id=planned["checkpoint"]["checkpoint_id"], as_node="planner"
    )
    here = forked["checkpoint"]["checkpoint_id"]
    after: Any = await client.runs.wait(thread, GRAPH, input=None, checkpoint_id=here, context=once)
    assert [step["title"] for one in after["report"]["plans"] for step in one["steps"]] == [kept["title"], "Arming"]
    assert set(after["results"]) == {"1", "2"}
    assert after["results"]["1"]["excerpts"] == before["results"]["1"]["excerpts"]
    assert not any("owned the schooner" in one["quote"] for one in after["results"]["2"]["excerpts"])


async def test_a_profile_is_chosen_in_the_context(client: LangGraphClient) -> None:
    profile: Any = yaml.safe_load((EXAMPLES / "repair-cafe.profile.yaml").read_text())
    cost, shop = "What did the parts cost in total?", "Where can I buy a kettle at a discount?"
    _, state = await researched(client, cost, context={"profile": profile})
    assert all("repair-cafe/" in source["url"] for source in state["report"]["sources"])
    _, refused = await researched(client, shop, context={"profile": profile})
    assert refused["messages"][-1]["content"] == profile["scope"]["outside"][0]["reply"]
    wrong: Any = {"profile": {**profile, "tune": "plain"}}
    with pytest.raises(Exception, match=r"profile\.tune"):
        await researched(client, cost, context=wrong)
