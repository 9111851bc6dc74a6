"""Deadlines of one call: for its first piece and between pieces, growing for slow models, never on a long answer."""

import threading

import pytest

from schemas.reflector import Reflection
from services.models import ask, write
from services.models.attempts import AMID_SECONDS, HEARTBEAT, KNOWN_SECONDS, UNKNOWN_SECONDS
from services.models.endpoint_memory import learned
from services.run.errors import ModelError
from services.run.roles import RoleModel, role_model
from services.run.scope import current_run
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion, error
from tests.services.models.conftest import ANSWER, PROMPT
from tests.services.models.test_ask import PROMPT_OF_REPORT

STREAMED = {"model": "m", "messages": [], "stream": True, "stream_options": {"include_usage": True}}


def model(role: str) -> RoleModel:
    return role_model(role, current_run().context)


async def test_a_stall_amid_the_answer_is_tried_again(endpoint: OpenAIServer, environment: SetEnvironment) -> None:
    environment(LEADLINE_TOKEN_TIMEOUT="0.3")
    over = threading.Event()
    stuck = Reply(events=completion(STREAMED, ANSWER).events, gate=over)
    endpoint.script["reporter"] = [stuck, ANSWER]
    assert (await write("reporter", PROMPT_OF_REPORT)).text == ANSWER
    over.set()
    assert len(endpoint.requests) == 2


async def test_a_slow_model_is_given_more_at_each_try_and_from_then_on(
    endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_FIRST_TOKEN_TIMEOUT="0.05")
    slow = completion(STREAMED, ANSWER).events
    endpoint.script["reflector"] = [Reply(events=slow, stall=0.5) for _ in range(20)]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    first = len(endpoint.requests)
    assert first > 1
    assert learned(model("reflector")).longest_silence > 0.3
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert len(endpoint.requests) == first + 1


def test_an_endpoint_is_waited_for_longer_than_llama_cpp_takes_between_two_signs_of_life() -> None:
    assert min(KNOWN_SECONDS, AMID_SECONDS, UNKNOWN_SECONDS) >= 1.2 * HEARTBEAT


async def test_an_answer_that_keeps_coming_may_take_longer_than_any_silence(
    endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_FIRST_TOKEN_TIMEOUT="0.7", LEADLINE_TOKEN_TIMEOUT="0.7")
    events = completion(STREAMED, ANSWER.replace(",", ", ")).events or []
    endpoint.script["reflector"] = [Reply(events=events, pace=1.4 / len(events))]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert len(endpoint.requests) == 1


async def test_an_endpoint_that_only_stalls_ends_in_an_error_that_names_the_setting(
    endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_FIRST_TOKEN_TIMEOUT="0.2", LEADLINE_MAX_RETRIES="2")
    endpoint.script["reflector"] = [Reply(200, {}, stall=60)] * 9
    with pytest.raises(ModelError, match="LEADLINE_FIRST_TOKEN_TIMEOUT"):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("parameter", ["stream", "stream_options"])
async def test_an_endpoint_that_cannot_stream_is_asked_for_whole_answers(
    endpoint: OpenAIServer, parameter: str
) -> None:
    endpoint.refuses = {parameter}
    if parameter == "stream":  # a client that asks for no stream says so
        endpoint.refuses = set()
        endpoint.fault = lambda number, role, body: (
            error(400, "stream is not supported with this model", "unsupported", "stream") if body["stream"] else None
        )
    for _ in range(2):
        await ask("reflector", PROMPT, Reflection)
    assert endpoint.requests[0]["stream_options"] == {"include_usage": True}
    assert [bool(request.get(parameter)) for request in endpoint.requests] == [True, False, False]


async def test_a_stream_that_ends_before_the_answer_does_is_begun_anew(endpoint: OpenAIServer) -> None:
    whole = completion(STREAMED, ANSWER)
    endpoint.script["reflector"] = [Reply(events=(whole.events or [])[:1]), ANSWER]
    assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    assert len(endpoint.requests) == 2
