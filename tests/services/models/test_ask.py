"""Asking a model over the wire: the real client against a loopback endpoint that speaks OpenAI's protocol."""

import json
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import computed_field

from leadline import aresearch
from schemas.context import RunContext
from schemas.planner import Plan, PlannerPrompt
from schemas.reflector import Reflection
from schemas.reporter import ReporterPrompt
from services.models import ask, write
from services.models.prompt_fit import THINKING_ROOM, evidence_tokens
from services.run.errors import ModelError
from services.run.journal import Journal
from services.run.scope import Run
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer, completion, error
from tests.services.models.conftest import ANSWER, PROMPT


async def test_characters_that_no_database_takes_are_left_out_of_answers(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [json.dumps({**json.loads(ANSWER), "reasoning": "de\x00ep \ud83d and 😀"})]
    assert (await ask("reflector", PROMPT, Reflection)).reasoning == "deep  and 😀"
    endpoint.script["reporter"] = ["de\x00ep \ud83d and 😀"]
    assert (await write("reporter", PROMPT_OF_REPORT)).text == "deep  and 😀"


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{ANSWER}\n```",
        "{'has_enough_context': True, 'reasoning': 'ok',}",
        f"Here it is:\n{ANSWER}\nI hope that helps.",
        f"so much for thinking</think>\n{ANSWER}",
        f"[{ANSWER}]",
    ],
    ids=["fenced", "near-JSON", "prose around", "thinking without its beginning", "in a list"],
)
async def test_json_is_read_however_it_is_wrapped(endpoint: OpenAIServer, text: str) -> None:
    endpoint.script["reflector"] = [text]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context


PROMPT_OF_REPORT = ReporterPrompt(
    question="How deep?",
    locale="en-US",
    today="2026-01-01",
    length="standard",
    tone="",
    findings=[],
    background=[],
    contradictions=[],
    missing_aspects=[],
)
PLANNER = PlannerPrompt(
    question="How deep?",
    locale="en-US",
    today="2026-01-01",
    max_step_num=3,
    background=[],
    feedback=[],
    findings=[],
    gaps=[],
    tables=[],
    tools=[],
    previous_plan="",
)


class CountingPrompt(ReporterPrompt):
    """Counts how often it is rendered."""

    renderings: ClassVar[int] = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def rendered(self) -> bool:
        """Read whenever all that a template may show is read."""
        type(self).renderings += 1
        return True


async def test_a_prompt_is_rendered_once_for_the_journal_and_the_call(endpoint: OpenAIServer) -> None:
    endpoint.script["reporter"] = ["It is deep."]
    await write("reporter", CountingPrompt(**dict(PROMPT_OF_REPORT)))
    assert (CountingPrompt.renderings, len(endpoint.requests)) == (1, 1)


async def test_what_models_get_nearly_right_is_bent_into_the_schema(endpoint: OpenAIServer) -> None:
    step = {"id": 1, "title": "Find", "description": "…", "step_type": "RESEARCH", "need_web_search": "true"}
    step |= {"queries": "The trench is deep.", "depends_on": None, "tools": None}
    given = {"locale": None, "has_enough_context": "false", "thought": None, "title": "Depth", "steps": [step]}
    endpoint.script["planner"] = [json.dumps(given)]
    [made] = (await ask("planner", PLANNER, Plan)).steps
    assert (made.id, made.step_type, made.queries, made.depends_on) == ("1", "research", ["The trench is deep."], [])
    assert len(endpoint.requests) == 1


async def test_an_answer_that_was_cut_off_is_asked_for_again_with_more_room(endpoint: OpenAIServer) -> None:
    body = {"model": "m", "messages": []}
    endpoint.script["reflector"] = [completion(body, ANSWER[:30], "length"), ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    first, second = (request["max_tokens"] for request in endpoint.requests)
    assert (first, second) == (500 + THINKING_ROOM, 2_000 + THINKING_ROOM)
    assert endpoint.requests[0]["messages"] == endpoint.requests[1]["messages"]


async def test_a_report_that_is_always_cut_off_comes_as_far_as_it_came(endpoint: OpenAIServer, docs: Path) -> None:
    body = {"model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True}}
    cut = completion(body, "# Born\n\nWilliam Thomson was born in Belfast in 1824. And then", "length")
    endpoint.script["reporter"] = [cut, cut, cut]
    report = await aresearch("Where was William Thomson of the Atlantic telegraph cable born?", docs=[docs])
    assert "Belfast" in report.markdown
    assert any("cut off" in limit for limit in report.limits)
    asked = zip(endpoint.requests, endpoint.roles, strict=True)
    assert [request["max_tokens"] for request, role in asked if role == "reporter"] == [
        2_000 + THINKING_ROOM,
        8_000,
        32_000,
    ]


@pytest.mark.parametrize("empty", ["", "<think>I had no room to say it</think>"])
async def test_an_empty_answer_is_asked_for_again(endpoint: OpenAIServer, empty: str) -> None:
    endpoint.script["reflector"] = [empty, ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context


async def test_an_empty_text_is_asked_for_again_and_then_an_error(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.script["reporter"] = ["", "", ""]
    with pytest.raises(ModelError, match=r"role reporter answered with nothing.*LEADLINE_MODEL_REPORTER"):
        await write("reporter", PROMPT_OF_REPORT)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("refusal", "finish_reason", "said"),
    [
        ("I cannot help with that.", "stop", r"refused.*reflector.*I cannot help with that"),
        ("", "content_filter", "content filter"),
    ],
)
async def test_a_refusal_is_an_error_that_says_so(
    endpoint: OpenAIServer, refusal: str, finish_reason: str, said: str
) -> None:
    body = {"model": "m", "messages": []}
    endpoint.script["reflector"] = [completion(body, "", finish_reason, refusal=refusal)]
    with pytest.raises(ModelError, match=said):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("refuses", "expected"),
    [
        ({"response_format"}, ["response_format", "tools", "tools"]),
        ({"response_format", "tools"}, ["response_format", "tools", "text", "text"]),
    ],
)
async def test_a_form_that_an_endpoint_refuses_is_left_out_from_then_on(
    endpoint: OpenAIServer, refuses: set[str], expected: list[str]
) -> None:
    endpoint.refuses = refuses
    for _ in range(2):
        assert not (await ask("reflector", PROMPT, Reflection)).has_enough_context
    forms = [
        next((name for name in ("response_format", "tools") if name in request), "text")
        for request in endpoint.requests
    ]
    assert forms == expected
    assert [message["role"] for message in endpoint.requests[-1]["messages"]] == ["system", "user"]
    assert ("JSON schema" in endpoint.requests[-1]["messages"][0]["content"]) == ("tools" in refuses)


async def test_an_endpoint_that_does_not_heed_the_schema_is_shown_it_and_asked_in_the_text_from_then_on(
    endpoint: OpenAIServer,
) -> None:
    endpoint.script["reflector"] = ["It is deep enough.", ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert "JSON schema" in endpoint.requests[1]["messages"][-1]["content"]
    await ask("reflector", PROMPT, Reflection)
    assert "response_format" not in endpoint.requests[2]


@pytest.mark.parametrize("parameter", ["temperature", "max_tokens"])
async def test_a_parameter_that_is_refused_is_left_out_from_then_on(endpoint: OpenAIServer, parameter: str) -> None:
    endpoint.refuses = {parameter}
    endpoint.script["reflector"] = [ANSWER, ANSWER]
    for _ in range(2):
        assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert [parameter in request for request in endpoint.requests] == [True, False, False]
    assert "response_format" in endpoint.requests[-1]


async def test_an_endpoint_that_names_no_limit_is_asked_with_less_and_less(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [error(400, "prompt is too long", "invalid")] * 9
    with pytest.raises(ModelError, match="LEADLINE_CONTEXT_WINDOW_REFLECTOR"):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) <= 5


async def test_an_answer_that_does_not_fit_is_asked_for_again_with_the_error(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [json.dumps({"confidence": 7}), ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert "confidence" in endpoint.requests[1]["messages"][-1]["content"]


async def test_a_model_that_never_fits_ends_in_an_error_that_names_role_and_schema(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = ["no", "", "never"]
    with pytest.raises(ModelError, match=r"role reflector.*Reflection.*LEADLINE_MODEL_REFLECTOR"):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("window", "room"), [(4_000, 1_000), (9_000, 3_000), (24_000, 8_000), (32_000, 16_000), (128_000, 64_000)]
)
async def test_evidence_may_fill_half_of_a_large_window_and_a_third_of_a_small_one(
    endpoint: OpenAIServer, environment: SetEnvironment, window: int, room: int
) -> None:
    environment(LEADLINE_CONTEXT_WINDOW=str(window))
    run = Run(RunContext(), "reporter", journal=Journal(place="1:reporter"))
    assert await evidence_tokens(run, "reporter", 1_000_000) == room
    assert await evidence_tokens(run, "reporter", room // 2) == room // 2
