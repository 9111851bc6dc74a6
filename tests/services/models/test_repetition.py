"""Answers that repeat themselves without end are noticed while they come; honest long answers are not."""

import pytest

from schemas.coordinator import CoordinatorPrompt, Triage, triage_schema
from schemas.reflector import Reflection
from services.models import ask, write
from services.models.answer_watch import AnswerWatch, RepeatsItself
from services.run.errors import UselessAnswer
from services.run.scope import counting
from tests.fakes.openai_server import OpenAIServer
from tests.services.models.conftest import ANSWER, PROMPT
from tests.services.models.test_ask import PROMPT_OF_REPORT

SENTENCE = "The wire was led over a wheel. "
LOOP = '{"reasoning": "' + "the evidence covers the question and " * 200
TABLE = "".join(f"| {year} | {year * 7 % 997} | {year * 13 % 89} m |\n" for year in range(1800, 1900))


def sense_of(text: str, size: int = 5) -> int | None:
    watch = AnswerWatch()
    try:
        for start in range(0, len(text), size):
            watch.hear("writing", text[start : start + size])
    except RepeatsItself as repeating:
        return len(repeating.text)
    return None


@pytest.mark.parametrize("piece", ["a", "ab ", SENTENCE, "测深线。", f"{SENTENCE}Then it was wound up again, slowly. "])
def test_repetition_without_end_is_noticed_whatever_is_repeated(piece: str) -> None:
    before = "It was tried in the Bay of Biscay. "
    sense = sense_of(before + piece * 1_000)
    assert sense is not None
    assert len(before) <= sense <= len(before) + 2 * len(piece)


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        "| --- " * 40 + "|\n",
        "-" * 300 + "\n" + SENTENCE,
        SENTENCE * 4 + " ".join(str(number * 7_919 % 1_009) for number in range(800)),
        "\n".join(f"{number}. A sounding of {number * 3} fathoms." for number in range(200)),
    ],
)
def test_tables_rules_and_lists_are_no_repetition(text: str) -> None:
    assert sense_of(text) is None


async def test_an_answer_that_repeats_itself_is_stopped_and_asked_for_in_another_way(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [LOOP, ANSWER]
    with counting() as used:
        assert (await ask("reflector", PROMPT, Reflection)).has_enough_context
    first, second = endpoint.requests
    assert second["temperature"] != first["temperature"]
    assert second["max_tokens"] <= first["max_tokens"]
    assert "repeated itself" in second["messages"][-1]["content"]
    assert 0 < used().total.output_tokens < len(LOOP) / 8, "it was stopped long before its end"


async def test_an_answer_of_which_only_the_last_text_repeats_itself_is_taken(endpoint: OpenAIServer) -> None:
    prompt = CoordinatorPrompt(question="How deep?", conversation=[], profile=None, locale="auto")
    known = '"reason": "r", "intent": "in_scope", "wishes": {}, "question": "", "locale": "en", "complexity": "simple"'
    endpoint.script["coordinator"] = [f'{{{known}, "reply": "It is deep. {SENTENCE * 200}']
    answer = await ask("coordinator", prompt, triage_schema(prompt))
    assert Triage.model_validate(answer.model_dump()).complexity == "simple"
    assert len(endpoint.requests) == 1


async def test_a_model_that_repeats_itself_twice_is_not_asked_a_third_time(endpoint: OpenAIServer) -> None:
    endpoint.script["reflector"] = [LOOP, LOOP, ANSWER]
    with pytest.raises(UselessAnswer, match="repeats itself without end"):
        await ask("reflector", PROMPT, Reflection)
    assert len(endpoint.requests) == 2


async def test_of_a_text_that_repeats_itself_twice_the_sense_is_kept(endpoint: OpenAIServer) -> None:
    text = f"It was tried in the Bay of Biscay. {SENTENCE * 200}"
    endpoint.script["reporter"] = [text, text]
    reply = await write("reporter", PROMPT_OF_REPORT)
    assert reply.cut_off
    assert reply.text.startswith("It was tried in the Bay of Biscay.")
    assert len(reply.text) < 200
    assert len(endpoint.requests) == 2
