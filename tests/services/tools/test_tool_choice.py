"""What the first answer of the loop must call: over the wire, by both protocols, and where an endpoint takes no such demand."""

from typing import Any

import pytest

from services.models.endpoint_memory import learned
from services.run.roles import role_model
from services.run.scope import current_run
from services.tools.loop import use_tools
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, error
from tests.services.models.conftest import endpoint
from tests.services.models.test_endpoints_as_they_are import WORKING as PROMPT
from tests.services.tools.test_loop import TOOLS, complete, native, structured

__all__ = ["endpoint"]
LOOK = ("depth_of", {"trench": "Mariana"})
CALL = {"name": "depth_of", "arguments": {"trench": "Mariana"}}


def choices(endpoint: OpenAIServer) -> list[Any]:
    return [body.get("tool_choice", "unsaid") for body in endpoint.requests if "tools" in body]


def said(endpoint: OpenAIServer) -> str:
    return str(endpoint.requests[-1]["messages"][2:])


async def test_the_first_answer_is_forced_and_the_others_are_free(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = [native(LOOK), native(("wait", {"seconds": 0})), "Done."]
    worked = await use_tools("researcher", PROMPT, TOOLS, must_call=True)
    assert choices(endpoint) == ["required", "unsaid", "unsaid"]
    assert (worked.text, worked.finished) == ("Done.", True)
    assert "You were to call" not in said(endpoint)


@pytest.mark.parametrize("first", [native(text="It is deep."), native(), native(("depth_off", {}))])
async def test_a_model_that_does_not_follow_is_told_so_once(endpoint: OpenAIServer, first: Reply) -> None:
    endpoint.script["reporter"] = [first, "It is 10,935 m deep."]
    worked = await use_tools("researcher", PROMPT, TOOLS, must_call=True)
    assert worked.text == "It is 10,935 m deep."
    assert said(endpoint).count("You were to call a tool first.") == 1


async def test_a_choice_that_an_endpoint_refuses_is_left_out_and_never_sent_again(endpoint: OpenAIServer) -> None:
    endpoint.refuses = {"tool_choice"}
    endpoint.script["reporter"] = [native(LOOK), "Done.", native(LOOK), "Done."]
    for _ in range(2):
        worked = await use_tools("researcher", PROMPT, TOOLS, must_call=True)
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
    await use_tools("researcher", PROMPT, TOOLS, must_call=True)
    assert choices(endpoint) == ["required", "unsaid", "unsaid"]


async def test_an_endpoint_without_tools_is_told_of_the_choice_in_the_structured_protocol(
    endpoint: OpenAIServer,
) -> None:
    endpoint.refuses = {"tools"}
    endpoint.script["reporter"] = [complete("It is deep."), structured(CALL), complete("It is 10,935 m deep.")]
    worked = await use_tools("researcher", PROMPT, TOOLS, must_call=True)
    assert worked.text == "It is 10,935 m deep."
    assert "In your first answer call a tool" in endpoint.requests[-1]["messages"][0]["content"]
    assert said(endpoint).count("You were to call a tool first.") == 1
    assert [made.call.name for made in worked.calls] == ["depth_of"]
