"""The offline model behaves as a chat model does: the same answer each time, streamed, counted, and off the event loop."""

from prompts import render
from services.models.offline import OfflineModel
from tests.services.models.offline.prompts_of import finding, planner_prompt, report, reporter_prompt

QUESTION = "Who built the first lighthouse at Skerryvore?"
FOUND = finding("Alan Stevenson built the lighthouse at Skerryvore. It was lit in 1844.")


async def test_the_same_prompt_gets_the_same_answer() -> None:
    messages = render("planner", planner_prompt(QUESTION))
    first, second = [await OfflineModel(role="planner").ainvoke(messages) for _ in range(2)]
    assert first.text == second.text


async def test_tokens_are_counted() -> None:
    answer = await OfflineModel(role="planner").ainvoke(render("planner", planner_prompt(QUESTION)))
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["input_tokens"] > 100
    assert answer.usage_metadata["output_tokens"] > 10


async def test_a_report_streams_in_pieces_that_add_up_to_it() -> None:
    messages = render("reporter", reporter_prompt(QUESTION, FOUND))
    pieces = [chunk.text async for chunk in OfflineModel(role="reporter").astream(messages)]
    assert len([piece for piece in pieces if piece]) > 3
    assert "".join(pieces) == report(QUESTION, FOUND)


async def test_a_request_to_repeat_does_not_change_what_is_read() -> None:
    messages = render("planner", planner_prompt(QUESTION))
    again = [*messages, *render("planner", planner_prompt("Something else entirely?"))[1:]]
    model = OfflineModel(role="planner")
    assert (await model.ainvoke(again)).text == (await model.ainvoke(messages)).text
