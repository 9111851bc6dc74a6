"""The report as it is written: in the terminal below the plan, as events for programs, and gone once it is checked."""

import time
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessageChunk
from rich.cells import cell_len

from leadline import aresearch
from leadline.progress.notebook import Progress
from leadline.progress.run_view import Watched
from leadline.runs.execute import PAUSE, Drafting
from schemas.events import Event
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion, role_of, think
from tests.leadline.progress.pseudo_terminal import in_terminal, plain
from tests.leadline.progress.test_lines import EVENTS, QUESTION, drawn, seen, told


def slowly(body: dict[str, Any]) -> Reply | None:
    """Let the reporter write a word after the other."""
    if role_of(body) != "reporter":
        return None
    reply = completion(body, f"{think('reporter', body)}\n\n===\nAnd where did he die?\n")
    reply.pace = 0.02
    return reply


def grown(events: list[Event]) -> Watched:
    """Return what is known just before the report is checked."""
    return seen(events[: next(place for place, event in enumerate(events) if event.type == "report")])


def test_a_terminal_shows_the_report_as_it_is_written_and_then_only_the_checked_one(
    endpoint: OpenAIServer, docs: Path
) -> None:
    endpoint.choose = slowly
    out, shown = in_terminal(["research", QUESTION, "--docs", str(docs)], 80)
    frames = [plain(frame) for frame in shown.split("\x1b[2K")]
    lengths = [length for length in (frame.count("[E") for frame in frames) if length]
    assert lengths, "citations are shown by their ids"
    assert "Writing the report" in shown
    assert "[E" not in frames[-1]
    assert "===" not in plain(shown)
    assert out.startswith("# ")
    assert "[E" not in out


async def test_the_pieces_of_a_report_are_events_and_make_up_its_text(endpoint: OpenAIServer, docs: Path) -> None:
    endpoint.choose = slowly
    events: list[Event] = []
    await aresearch(QUESTION, docs=[docs], on_event=events.append)
    pieces = [event.data for event in events if event.type == "draft"]
    assert [piece["begins"] for piece in pieces] == [True] + [False] * (len(pieces) - 1)
    assert len(pieces) > 2
    text = "".join(piece["text"] for piece in pieces)
    assert "===" in text
    assert grown(events).written() == text.partition("===")[0]
    assert not seen(events).draft


async def test_a_report_that_broke_off_is_shown_from_its_beginning_again(endpoint: OpenAIServer, docs: Path) -> None:
    wrote: list[Reply] = []

    def breaking(body: dict[str, Any]) -> Reply | None:
        reply = slowly(body)
        if reply is not None:
            wrote.append(reply)
            if len(wrote) == 1:
                reply.events, reply.done = (reply.events or [])[:30], False
        return reply

    endpoint.choose = breaking
    events: list[Event] = []
    await aresearch(QUESTION, docs=[docs], on_event=events.append)
    assert len(wrote) == 2
    assert sum(event.data["begins"] for event in events if event.type == "draft") == 2
    assert grown(events).written().count("# Where was the designer") == 1


def test_what_a_model_writes_cannot_steer_a_terminal() -> None:
    drafting = Drafting()
    about = {"langgraph_node": "reporter"}
    [*_] = drafting.add(AIMessageChunk(content="\x1b[2J# Kelvin\x07", id="1"), about)
    time.sleep(PAUSE)
    [event] = drafting.add(AIMessageChunk(content="\r was", id="1"), about)
    assert event.data == {"text": "[2J# Kelvin\n was", "begins": True}


def test_plans_make_room_for_the_report_in_a_low_terminal() -> None:
    text = "\n\n".join(f"Paragraph {number} cites its excerpt [E1-{number}]." for number in range(1, 30))
    watched = seen([*EVENTS, told("draft", node="reporter", text=text, begins=True)])
    lines = drawn(watched, 60, height=14)
    assert len(lines) < 14
    assert lines[-3].strip() == "Paragraph 29 cites its excerpt [E1-29]."
    assert sum("Paragraph" in line for line in lines) >= 4
    assert any("Kelvin" in line for line in lines)
    assert max(map(len, lines)) < 60


def test_a_report_in_chinese_is_broken_by_the_columns_that_it_takes() -> None:
    watched = seen([told("draft", node="reporter", text="测深索的末端填有牛脂" * 20, begins=True)])
    lines = drawn(watched, 41)
    assert max(map(cell_len, lines)) < 41
    assert len(lines) > 10


def test_a_notebook_shows_the_report_as_it_is_written_as_text() -> None:
    shown = Progress()
    shown(told("draft", node="reporter", text="# Kelvin <b>was</b> born", begins=True))
    shown(told("draft", node="reporter", text=" in Belfast [E1-1].\n\n===\nWhere?"))
    assert "# Kelvin &lt;b&gt;was&lt;/b&gt; born in Belfast [E1-1].</div>" in shown._repr_html_()
    assert "Where?" not in str(shown)
