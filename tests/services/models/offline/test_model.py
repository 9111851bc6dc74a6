"""The offline model behaves as a chat model does: the same answer each time, streamed, counted, and off the event loop."""

import pytest
from langchain_core.messages import HumanMessage

from prompts import render
from services.models.offline import OfflineModel, answer
from tests.services.models.offline.prompts_of import finding, planner_prompt, report, reporter_prompt

QUESTION = "Who built the first lighthouse at Skerryvore?"
FOUND = finding("Alan Stevenson built the lighthouse at Skerryvore. It was lit in 1844.")
PLANNER = planner_prompt(QUESTION)


async def test_the_same_prompt_gets_the_same_answer() -> None:
    messages = render("planner", PLANNER)
    first, second = [await OfflineModel(prompt=PLANNER).ainvoke(messages) for _ in range(2)]
    assert first.text == second.text


async def test_tokens_are_counted() -> None:
    reply = await OfflineModel(prompt=PLANNER).ainvoke(render("planner", PLANNER))
    assert reply.usage_metadata is not None
    assert reply.usage_metadata["input_tokens"] > 100
    assert reply.usage_metadata["output_tokens"] > 10


async def test_a_report_streams_in_pieces_that_add_up_to_it() -> None:
    prompt = reporter_prompt(QUESTION, FOUND)
    pieces = [chunk.text async for chunk in OfflineModel(prompt=prompt).astream(render("reporter", prompt))]
    assert len([piece for piece in pieces if piece]) > 3
    assert "".join(pieces) == report(QUESTION, FOUND)


async def test_what_messages_say_does_not_change_the_answer() -> None:
    model = OfflineModel(prompt=PLANNER)
    assert (await model.ainvoke([HumanMessage("Something else entirely?")])).text == answer(PLANNER)


def test_without_a_prompt_it_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        OfflineModel(prompt=None).invoke("Who built it?")
