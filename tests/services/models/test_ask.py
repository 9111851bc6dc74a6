"""Asking a model over the wire: the real client against a loopback endpoint that speaks OpenAI's protocol."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from leadline import aresearch
from schemas.reflector import Reflection, ReflectorPrompt
from services.errors import ModelError
from services.models import ask, close_clients
from services.settings import forget_settings
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion, openai_server

PROMPT = ReflectorPrompt(
    question="How deep?",
    locale="en-US",
    today="2026-01-01",
    findings=[],
    plan_iterations=1,
    max_plan_iterations=3,
    max_step_attempts=2,
)
ANSWER = json.dumps({"has_enough_context": True, "reasoning": "ok"})


@pytest.fixture
async def endpoint(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenAIServer]:
    with openai_server() as server:
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("LEADLINE_MODEL", "test-model")
        forget_settings()
        yield server
        await close_clients()


async def test_a_whole_run_goes_through_the_endpoint_with_native_schemas(endpoint: OpenAIServer, docs: Path) -> None:
    report = await aresearch("Where was the designer of the wire sounding machine born?", docs=[docs])
    assert "Belfast" in report.markdown
    assert set(endpoint.roles) == {"coordinator", "planner", "researcher", "reflector", "reporter"}
    formats = [
        request["response_format"]["json_schema"] for request in endpoint.requests if "response_format" in request
    ]
    assert len(formats) == len(endpoint.requests) - 1
    assert all(one["strict"] and one["schema"]["additionalProperties"] is False for one in formats)
    assert sum(use.calls for use in report.usage.roles.values()) == len(endpoint.requests)
    assert "without a language model" not in report.markdown


async def test_one_leading_system_message_and_one_human_message(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [ANSWER]
    await ask("reflector", PROMPT, Reflection)
    assert [message["role"] for message in endpoint.requests[0]["messages"]] == ["system", "user"]


async def test_a_role_can_have_a_model_of_its_own(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_MODEL_REFLECTOR", "special-model")
    endpoint.script["reflector"] = [ANSWER]
    await ask("reflector", PROMPT, Reflection)
    assert endpoint.requests[0]["model"] == "special-model"


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{ANSWER}\n```",
        f"<think>hm, {{}}</think>{ANSWER}",
        "{'has_enough_context': True, 'reasoning': 'ok',}",
        f"Here it is:\n{ANSWER}\nI hope that helps.",
    ],
    ids=["fenced", "thinking", "near-JSON", "prose around"],
)
async def test_json_is_read_however_it_is_wrapped(endpoint: OpenAIServer, text: str) -> None:
    endpoint.script["reflector"] = [text]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context


async def test_an_answer_that_does_not_fit_is_asked_for_again_with_the_error(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [json.dumps({"confidence": 7}), ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert "confidence" in endpoint.requests[1]["messages"][-1]["content"]


async def test_a_model_that_never_fits_ends_in_an_error_that_names_role_and_schema(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = ["no", "", "never"]
    with pytest.raises(ModelError, match=r"role reflector.*Reflection.*LEADLINE_MODEL_REFLECTOR"):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == 3


async def test_a_refused_key_is_said_to_be_one(endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "wrong")
    forget_settings()
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        await ask("reflector", PROMPT, Reflection)
    assert "wrong" not in str(caught.value)


async def test_an_unknown_model_is_said_to_be_one(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [
        Reply(404, {"error": {"message": "no such model", "type": "x", "param": None, "code": "model_not_found"}})
    ]
    with pytest.raises(ModelError, match="LEADLINE_MODEL"):
        await ask("reflector", PROMPT, Reflection)


async def test_an_endpoint_that_is_not_there_is_said_to_be_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    forget_settings()
    with pytest.raises(ModelError, match="could not be reached"):
        await ask("reflector", PROMPT, Reflection)
    await close_clients()


async def test_a_passing_fault_is_tried_again(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [Reply(500, {"error": {"message": "oops"}}), ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context


async def test_invented_citations_links_and_quotes_of_a_model_never_survive(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.script["reporter"] = [
        "# Depth\n\nThe wire was of gold and cost 99,000 pounds [E1-1]. See [this](http://evil.example/x) [E77-7]. "
        "<script>alert(1)</script>\n\n> A quote that nobody wrote. [E1-1]\n"
    ]
    report = await aresearch("Who designed the wire sounding machine and where was it tried first?", docs=[docs])
    assert "evil.example" not in report.markdown
    assert "<script" not in report.markdown
    assert "E77-7" not in report.markdown
    assert "unverified" in report.markdown
    assert not any(claim.verified for claim in report.citations if "gold" in claim.text or "nobody" in claim.text)


async def test_a_quote_that_stands_in_no_passage_is_left_out(endpoint: OpenAIServer, docs: Path) -> None:
    invented = {
        "excerpts": [{"passage_id": "P1", "quote": "The machine ran on steam.", "relevance": "high"}],
        "finding": "Steam.",
        "confidence": 1,
    }
    endpoint.script["researcher"] = [json.dumps(invented)] * 6
    report = await aresearch(
        "Why was tallow used and who designed the wire sounding machine?", docs=[docs], max_plan_iterations=1
    )
    assert all(result.status == "failed" and not result.excerpts for result in report.results)
    assert "steam" not in report.markdown.lower()


async def test_a_step_that_the_reflector_rejects_is_redone_with_its_feedback(
    endpoint: OpenAIServer, docs: Path
) -> None:
    redo = {"has_enough_context": False, "steps": [{"step_id": "1", "redo": True, "feedback": "look for Belfast"}]}
    endpoint.script["reflector"] = [json.dumps(redo), json.dumps(redo), ANSWER]
    report = await aresearch(
        "Which man designed the machine that took piano wire in place of hemp rope?",
        docs=[docs],
        max_step_attempts=2,
        max_plan_iterations=1,
    )
    [result] = report.results
    assert result.attempts == 2
    assert [one.feedback for one in result.reflections] == ["look for Belfast"] * 2
    assert "max_step_attempts" in report.markdown
    second = [request for request, role in zip(endpoint.requests, endpoint.roles, strict=True) if role == "researcher"][
        1
    ]
    assert "look for Belfast" in second["messages"][1]["content"]


async def test_the_fake_answers_in_the_form_of_the_original() -> None:
    assert completion({"model": "m"}, "x").body["choices"][0]["message"]["content"] == "x"
