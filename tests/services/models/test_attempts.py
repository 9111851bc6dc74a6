"""Faults on the wire: passing ones are tried again, lasting ones are one clear error."""

import asyncio
import time

import pytest

from schemas.context import RunContext
from schemas.reflector import Reflection
from services.models import ask, close_clients, write
from services.models.endpoint import client
from services.run.errors import ModelError
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion, error
from tests.services.models.conftest import ANSWER, PROMPT
from tests.services.models.test_ask import PROMPT_OF_REPORT


async def test_the_wait_that_the_endpoint_asks_for_is_kept(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [error(429, "slow down", "rate_limit_exceeded", retry_after="0.4"), ANSWER]
    started = time.monotonic()
    await ask("reflector", PROMPT, Reflection)
    assert time.monotonic() - started >= 0.4


@pytest.mark.parametrize("status", [401, 402, 403, 404, 429])
async def test_a_lasting_fault_is_not_tried_again(endpoint: OpenAIServer, status: int) -> None:
    endpoint.script["reporter"] = [error(status, "You exceeded your current quota.", "insufficient_quota")] * 9
    with pytest.raises(ModelError, match="It said: “You exceeded"):
        await write("reporter", PROMPT_OF_REPORT)
    assert len(endpoint.requests) == 1


async def test_a_fault_that_lasts_ends_after_the_retries_with_what_to_do(
    endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_MAX_RETRIES="2")
    endpoint.script["reflector"] = [error(500, "oops", "server_error")] * 9
    with pytest.raises(ModelError, match=r"failed.*goes on with: leadline.aresume.*HTTP 500"):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == 3


async def test_no_more_calls_are_under_way_at_once_than_allowed(
    endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_MAX_CONCURRENCY="2")
    await close_clients()
    slow = completion({"model": "m", "messages": []}, ANSWER)
    endpoint.script["reflector"] = [Reply(slow.status, slow.body, stall=0.05) for _ in range(8)]
    await asyncio.gather(*(ask("reflector", PROMPT, Reflection) for _ in range(8)))
    assert endpoint.most_at_once == 2


async def test_calls_keep_to_the_rate(endpoint: OpenAIServer, environment: SetEnvironment) -> None:
    environment(LEADLINE_REQUESTS_PER_MINUTE="600")
    endpoint.script["reflector"] = [ANSWER] * 4
    started = time.monotonic()
    await asyncio.gather(*(ask("reflector", PROMPT, Reflection) for _ in range(4)))
    assert time.monotonic() - started >= 0.3


async def test_all_calls_share_one_connection_pool(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [ANSWER] * 3
    first = client()
    for _ in range(3):
        await ask("reflector", PROMPT, Reflection)
    assert client() is first
    assert len(endpoint.ports) == 1


def test_a_run_has_no_timeout_that_is_longer_than_ten_minutes() -> None:
    with pytest.raises(ValueError, match="less than or equal to 600"):
        RunContext.model_validate({"models": {"default": {"timeout": 601}}})
