"""Working with tools, natively and by the structured protocol, over the wire."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.store.memory import InMemoryStore

from schemas.context import RunContext
from schemas.steering import SteeringAction
from services.run.errors import BadInput, ModelError
from services.run.journal import Journal
from services.run.run_messages import leave_message
from services.run.scope import Run, working_for
from services.tools import calls, loop
from services.tools.loop import use_tools
from services.tools.structured_calls import read_structured
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion
from tests.services.models.conftest import endpoint
from tests.services.models.test_endpoints_as_they_are import WORKING as PROMPT

__all__ = ["endpoint"]
BODY: dict[str, Any] = {"model": "m", "messages": []}
ran: list[str] = []


@tool
async def depth_of(trench: str) -> str:
    """Return the depth of a trench in metres."""
    ran.append(trench)
    if trench == "Atlantis":
        raise ToolException("no such trench")
    return f"{trench}: 10,935 m"


@tool
async def wait(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


TOOLS: list[BaseTool] = [depth_of, wait]


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def native(*calls: tuple[str, dict[str, Any] | str], text: str = "") -> Reply:
    return completion(BODY, text, calls=[(name, a if isinstance(a, str) else json.dumps(a)) for name, a in calls])


def structured(*calls: dict[str, Any] | str) -> str:
    return json.dumps({"task_analysis": "look", "action": {"type": "tool_call", "content": list(calls)}})


def complete(text: str) -> str:
    return json.dumps({"task_analysis": "done", "action": {"type": "complete", "content": text}})


def last_results(endpoint: OpenAIServer) -> str:
    return "\n".join(str(message["content"]) for message in endpoint.requests[-1]["messages"][2:])


async def test_native_calls_run_and_their_results_go_back(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = [native(("depth_of", {"trench": "Mariana"}), text="Looking."), "It is 10,935 m deep."]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert (worked.text, worked.finished) == ("It is 10,935 m deep.", True)
    assert [tool["function"]["name"] for tool in endpoint.requests[0]["tools"]] == ["depth_of", "wait", "read_result"]
    answer = endpoint.requests[1]["messages"][-1]
    assert (answer["role"], answer["tool_call_id"], answer["content"]) == ("tool", "call_1", "Mariana: 10,935 m")


async def test_calls_of_a_round_run_side_by_side(endpoint: OpenAIServer) -> None:
    started = asyncio.Event()

    @tool
    async def first() -> str:
        """Wait for the second."""
        await started.wait()
        return "one"

    @tool
    async def second() -> str:
        """Let the first go on."""
        started.set()
        return "two"

    endpoint.script["reporter"] = [native(("first", {}), ("second", {})), "Done."]
    worked = await use_tools("researcher", PROMPT, [first, second])
    assert [made.result.text for made in worked.calls] == ["one", "two"]


async def test_a_call_that_is_repeated_in_a_round_runs_once_and_those_above_six_do_not_run(
    endpoint: OpenAIServer,
) -> None:
    asked = [("depth_of", {"trench": "Mariana"}), ("depth_of", {"trench": "Mariana"})]
    asked += [("depth_of", {"trench": str(number)}) for number in range(6)]
    endpoint.script["reporter"] = [native(*asked), "Done."]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert sorted(ran) == ["0", "1", "2", "3", "Mariana"]
    assert [made.result.failed for made in worked.calls] == [False] * 6 + [True] * 2


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("depth_of", '{"trench": ', "not a JSON object"),
        ("depth_of", {"tranche": "Mariana"}, "trench"),
        ("depth_off", {"trench": "Mariana"}, "There is no tool 'depth_off'. There are: depth_of, wait, read_result."),
        ("depth_of", {"trench": "Atlantis"}, "no such trench"),
        ("wait", {"seconds": 30}, "longer than 0.2 seconds"),
    ],
    ids=["no JSON", "wrong arguments", "unknown tool", "the tool's own error", "too slow"],
)
async def test_what_goes_wrong_with_a_call_goes_back_to_the_model(
    endpoint: OpenAIServer, name: str, arguments: dict[str, Any] | str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "TOOL_SECONDS", 0.2)
    endpoint.script["reporter"] = [native((name, arguments)), "Done."]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert worked.calls[0].result.failed
    assert said in last_results(endpoint)


async def test_the_rounds_are_bounded_by_code(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "MAX_ROUNDS", 3)
    endpoint.script["reporter"] = [native(("depth_of", {"trench": str(number)})) for number in range(9)]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert (worked.finished, len(endpoint.requests)) == (False, 3)
    assert "last round" in last_results(endpoint)


async def test_an_endpoint_without_function_calls_is_worked_with_by_the_structured_protocol(
    endpoint: OpenAIServer,
) -> None:
    endpoint.refuses = {"tools"}
    call = {"name": "depth_of", "arguments": {"trench": "Mariana"}}
    endpoint.script["reporter"] = [structured(call), complete("It is deep.")]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert worked.text == "It is deep."
    system = endpoint.requests[1]["messages"][0]["content"]
    assert "`depth_of`: Return the depth of a trench in metres." in system
    assert '"trench"' in system
    assert '<result of="depth_of">\nMariana: 10,935 m' in last_results(endpoint)
    assert "tools" not in endpoint.requests[1]
    endpoint.script["reporter"] = [complete("Again.")]
    await use_tools("researcher", PROMPT, TOOLS)
    assert "tools" not in endpoint.requests[-1]


async def test_the_protocol_can_be_chosen_for_a_role(endpoint: OpenAIServer, environment: SetEnvironment) -> None:
    environment(LEADLINE_TOOL_PROTOCOL_RESEARCHER="structured")
    endpoint.script["reporter"] = [complete("Done.")]
    await use_tools("researcher", PROMPT, TOOLS)
    assert "tools" not in endpoint.requests[0]
    assert RunContext(tool_protocol="structured").tool_protocol == "structured"


async def test_native_alone_is_an_error_where_the_endpoint_takes_no_calls(
    endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_TOOL_PROTOCOL="native")
    endpoint.refuses = {"tools"}
    with pytest.raises(ModelError, match="LEADLINE_TOOL_PROTOCOL=structured"):
        await use_tools("researcher", PROMPT, TOOLS)


async def test_fenced_blocks_are_calls_too_and_the_text_before_them_is_kept(endpoint: OpenAIServer) -> None:
    blocks = "\n".join(
        f"```json\n{json.dumps({'name': 'depth_of', 'arguments': {'trench': name}})}\n```"
        for name in ("Mariana", "Tonga")
    )
    said, answer = read_structured(f"I look up two.\n{blocks}")
    assert said == "I look up two."
    assert isinstance(answer.action.content, list)
    assert [call["arguments"]["trench"] for call in answer.action.content] == ["Mariana", "Tonga"]
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [f"I look up two.\n{blocks}", complete("Done.")]
    await use_tools("researcher", PROMPT, TOOLS)
    assert sorted(ran) == ["Mariana", "Tonga"]


@pytest.mark.parametrize(
    "text",
    ["I will look it up.", '{"action": {"type": "tool_call"}}', '{"action": {"type": "dance", "content": []}}', ""],
    ids=["prose", "no content", "unknown action", "nothing"],
)
async def test_what_cannot_be_read_goes_back_as_an_error(endpoint: OpenAIServer, text: str) -> None:
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [text, complete("Done.")]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert worked.text == "Done."
    assert "That cannot be read" in last_results(endpoint)


async def test_broken_structured_calls_say_why(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"tools"}
    calls = [{"name": "depth_of", "arguments": {"trench": trench}} for trench in ("Mariana", "Tonga")]
    endpoint.script["reporter"] = [structured(*calls, {"arguments": {}}, "nonsense"), complete("Done.")]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert [made.result.failed for made in worked.calls] == [False, False, True, True]


@pytest.mark.parametrize(
    "call",
    [
        {"tool_name": "depth_of", "arguments": {"trench": "Mariana"}},
        {"tool": "depth_of", "tool_arguments": {"trench": "Mariana"}},
        {"name": "depth_of", "parameters": '{"trench": "Mariana"}'},
        {"type": "function", "function": {"name": "depth_of", "arguments": '{"trench": "Mariana"}'}},
    ],
)
@pytest.mark.parametrize("form", [structured, json.dumps, lambda call: f"Look.\n```json\n{json.dumps(call)}\n```"])
async def test_a_call_is_understood_in_the_usual_words_and_forms(
    endpoint: OpenAIServer, call: dict[str, Any], form: Callable[[dict[str, Any]], str]
) -> None:
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [form(call), complete("Done.")]
    await use_tools("researcher", PROMPT, TOOLS)
    assert ran == ["Mariana"]


@pytest.mark.parametrize(
    "unreadable", ['{"name": "depth_of", "arguments": ', "look up Tonga", '{"trench": "Tonga"}', '["Tonga"]']
)
async def test_an_unreadable_block_beside_a_good_one_is_answered_by_itself(
    endpoint: OpenAIServer, unreadable: str
) -> None:
    endpoint.refuses = {"tools"}
    good = json.dumps({"name": "depth_of", "arguments": {"trench": "Mariana"}})
    endpoint.script["reporter"] = [f"```json\n{unreadable}\n```\n```json\n{good}\n```", complete("Done.")]
    worked = await use_tools("researcher", PROMPT, TOOLS)
    assert ran == ["Mariana"]
    assert [made.result.failed for made in worked.calls] == [True, False]
    assert " failed>" in last_results(endpoint)


async def test_a_call_in_a_block_of_its_own_beside_an_action_runs_too(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"tools"}
    action = structured({"name": "depth_of", "arguments": {"trench": "Mariana"}})
    call = json.dumps({"name": "depth_of", "arguments": {"trench": "Tonga"}})
    endpoint.script["reporter"] = [f"```json\n{action}\n```\n```json\n{call}\n```", complete("Done.")]
    await use_tools("researcher", PROMPT, TOOLS)
    assert sorted(ran) == ["Mariana", "Tonga"]


def test_a_program_shown_beside_a_call_is_no_call() -> None:
    call = json.dumps({"name": "depth_of", "arguments": {"trench": "Tonga"}})
    _, answer = read_structured(f"```python\nprint(1)\n```\n```json\n{call}\n```")
    assert answer.action.content == [{"name": "depth_of", "arguments": {"trench": "Tonga"}}]


async def test_a_round_with_neither_calls_nor_a_result_is_an_error(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = [""]
    with pytest.raises(ModelError, match="neither called a tool nor gave a result"):
        await use_tools("researcher", PROMPT, TOOLS)


async def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(BadInput, match="one name"):
        await use_tools("researcher", PROMPT, [depth_of, depth_of])


@pytest.mark.parametrize(("action", "steps", "rounds"), [("write", [], 1), ("skip", ["1"], 1), ("skip", ["2"], 2)])
async def test_a_step_that_somebody_ends_makes_no_further_round(
    endpoint: OpenAIServer, action: SteeringAction, steps: list[str], rounds: int
) -> None:
    store = InMemoryStore()
    await leave_message(store, "run", action, "as asked", steps)
    endpoint.script["reporter"] = [native(("depth_of", {"trench": "Tonga"})), "It is 10,800 m deep."]
    run = Run(step_id="1", journal=Journal(store, "run", "task"))
    with working_for(run):
        worked = await use_tools("researcher", PROMPT, TOOLS)
    assert (ran, len(endpoint.requests), worked.finished) == (["Tonga"], rounds, rounds == 2)
