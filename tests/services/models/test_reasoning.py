"""Models that think before they answer: room for the thinking, silence that is waited for, thoughts kept out of answers."""

import pytest

from schemas.reflector import Reflection
from services.models import ask, write
from tests.conftest import SetEnvironment
from tests.fakes.reasoning_server import ReasoningServer, Shown
from tests.services.models.conftest import ANSWER, PROMPT
from tests.services.models.test_ask import PROMPT_OF_REPORT

WRITTEN = "The trench is deep [E1-1]."


@pytest.fixture
def thinker(thinker: ReasoningServer) -> ReasoningServer:
    thinker.script = {"reflector": [ANSWER] * 4, "reporter": [WRITTEN] * 4}
    return thinker


@pytest.mark.parametrize("shown", ["reasoning_content", "think", "instead", "hidden"])
async def test_an_answer_is_found_wherever_the_thinking_stands(thinker: ReasoningServer, shown: Shown) -> None:
    thinker.shown = shown
    assert (await ask("reflector", PROMPT, Reflection)).reasoning == "ok"
    reply = await write("reporter", PROMPT_OF_REPORT)
    assert reply.text == WRITTEN


async def test_an_answer_without_room_is_asked_for_again_with_room_for_the_thinking(thinker: ReasoningServer) -> None:
    thinker.needs = 6_000
    thinker.takes_temperature = True
    assert (await ask("reflector", PROMPT, Reflection)).reasoning == "ok"
    met = len(thinker.empty)
    assert (await ask("reflector", PROMPT, Reflection)).reasoning == "ok"
    assert len(thinker.empty) == met <= 2, "what was learned holds for the next call"


async def test_heartbeats_count_as_life_and_may_come_less_often_than_pieces_of_an_answer(
    thinker: ReasoningServer, environment: SetEnvironment
) -> None:
    environment(LEADLINE_FIRST_TOKEN_TIMEOUT="1.2", LEADLINE_TOKEN_TIMEOUT="0.3", LEADLINE_MAX_RETRIES="0")
    thinker.takes_temperature, thinker.silence, thinker.heartbeats = True, 1.8, 3
    assert (await ask("reflector", PROMPT, Reflection)).reasoning == "ok"
    assert len(thinker.requests) == 1
