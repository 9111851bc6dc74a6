"""What the first answer of the loop must call: over the wire, by both protocols, and where an endpoint takes no such demand."""

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from services.models.endpoint_memory import learned
from services.run.errors import BadInput
from services.run.roles import role_model
from services.run.scope import current_run
from services.tools.loop import use_tools
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, error
from tests.services.tools import test_loop
from tests.services.tools.test_loop import PROMPT, TOOLS, complete, native, structured

endpoint = test_loop.endpoint
LOOK = ("depth_of", {"trench": "Mariana"})
CALL = {"tool_call_id": "a1", "name": "depth_of", "arguments": {"trench": "Mariana"}}
NAMED = {"type": "function", "function": {"name": "depth_of"}}


def choices(endpoint: OpenAIServer) -> list[Any]:
    """Return the tool choice of each request that offers tools."""
    return [body.get("tool_choice", "unsaid") for body in endpoint.requests if "tools" in body]


def said(endpoint: OpenAIServer) -> str:
    return str(endpoint.requests[-1]["messages"][2:])


async def test_by_default_no_request_says_anything_of_a_choice(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = [native(LOOK), "Done."]
    await use_tools("researcher", PROMPT, TOOLS)
    assert choices(endpoint) == ["unsaid", "unsaid"]


@pytest.mark.parametrize(("choice", "sent"), [("required", "required"), ("depth_of", NAMED)])
async def test_the_first_answer_is_forced_and_the_others_are_free(
    endpoint: OpenAIServer, choice: str, sent: object
) -> None:
    endpoint.script["reporter"] = [native(LOOK), native(("wait", {"seconds": 0})), "Done."]
    worked = await use_tools("researcher", PROMPT, TOOLS, tool_choice=choice)
    assert choices(endpoint) == [sent, "unsaid", "unsaid"]
    assert (worked.text, worked.finished) == ("Done.", True)
    assert "You were to call" not in said(endpoint)


@pytest.mark.parametrize(("choice", "what"), [("required", "a tool"), ("wait", "the tool `wait`")])
@pytest.mark.parametrize("first", [native(text="It is deep."), native(), native(("depth_off", {}))])
async def test_a_model_that_does_not_follow_is_told_so_once(
    endpoint: OpenAIServer, choice: str, what: str, first: Reply
) -> None:
    endpoint.script["reporter"] = [first, "It is 10,935 m deep."]
    worked = await use_tools("researcher", PROMPT, TOOLS, tool_choice=choice)
    assert (worked.text, worked.rounds) == ("It is 10,935 m deep.", 2)
    assert said(endpoint).count(f"You were to call {what} first.") == 1


async def test_a_choice_that_an_endpoint_refuses_is_left_out_and_never_sent_again(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"tool_choice"}
    endpoint.script["reporter"] = [native(LOOK), "Done.", native(LOOK), "Done."]
    for _ in range(2):
        worked = await use_tools("researcher", PROMPT, TOOLS, tool_choice="required")
        assert worked.text == "Done."
    assert choices(endpoint) == ["required", "unsaid", "unsaid", "unsaid", "unsaid"]
    known = learned(role_model("researcher", current_run().context))
    assert ("tool_choice" in known.refused, known.native_tools) == (True, True)


async def test_a_refusal_that_does_not_say_what_it_refuses_is_taken_for_one_of_the_choice_first(
    endpoint: OpenAIServer,
) -> None:
    endpoint.fault = lambda _, __, body: (
        error(400, "Thinking may not be enabled.", "invalid") if "tool_choice" in body else None
    )
    endpoint.script["reporter"] = [native(LOOK), "Done."]
    await use_tools("researcher", PROMPT, TOOLS, tool_choice="depth_of")
    assert choices(endpoint) == [NAMED, "unsaid", "unsaid"]


async def test_an_endpoint_without_tools_is_told_of_the_choice_in_the_structured_protocol(
    endpoint: OpenAIServer,
) -> None:
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [complete("It is deep."), structured(CALL), complete("It is 10,935 m deep.")]
    worked = await use_tools("researcher", PROMPT, TOOLS, tool_choice="depth_of")
    assert (worked.text, worked.rounds) == ("It is 10,935 m deep.", 3)
    system = endpoint.requests[-1]["messages"][0]["content"]
    assert "In your first answer call the tool `depth_of`" in system
    assert said(endpoint).count("You were to call the tool `depth_of` first.") == 1
    assert [made.call.name for made in worked.calls] == ["depth_of"]


async def test_a_structured_answer_that_follows_is_told_nothing(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [structured(CALL), complete("Done.")]
    await use_tools("researcher", PROMPT, TOOLS, tool_choice="required")
    assert "In your first answer call a tool" in endpoint.requests[-1]["messages"][0]["content"]
    assert "You were to call" not in said(endpoint)


async def test_the_structured_protocol_says_nothing_of_a_choice_that_is_free(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [complete("Done.")]
    await use_tools("researcher", PROMPT, TOOLS)
    assert "In your first answer" not in json.dumps(endpoint.requests)


async def test_none_offers_no_tool(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = ["Done."]
    worked = await use_tools("researcher", PROMPT, TOOLS, tool_choice="none")
    assert (worked.text, worked.rounds, worked.finished) == ("Done.", 1, True)
    assert "tools" not in endpoint.requests[0]
    assert "depth_of" not in json.dumps(endpoint.requests[0])


@pytest.mark.parametrize(
    ("choice", "tools", "message"),
    [
        ("depth_off", TOOLS, r"'depth_off'.+There are: depth_of, wait\."),
        ("read_result", TOOLS, r"There are: depth_of, wait\."),
        ("", TOOLS, "There are: depth_of, wait"),
        ("required", [], "There are none"),
        ("any", [], "There are none"),
    ],
)
async def test_a_choice_that_no_call_can_follow_is_refused_before_any_call(
    endpoint: OpenAIServer, choice: str, tools: list[BaseTool], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        await use_tools("researcher", PROMPT, tools, tool_choice=choice)
    assert not endpoint.requests


async def test_one_round_is_enough_for_a_forced_call_and_ends(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = ["It is deep."]
    worked = await use_tools("researcher", PROMPT, TOOLS, tool_choice="required", rounds=1)
    assert (worked.text, worked.rounds) == ("It is deep.", 1)
