"""Progress: one picture in a terminal, whatever its width; plain lines in a pipe; JSON lines for programs; stdout is the report's."""

import asyncio
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from leadline import aresearch
from leadline.progress.lines import Lines
from leadline.progress.live import Board
from leadline.progress.plan_review import Display
from leadline.progress.run_view import Watched, clock
from leadline.runs.run_ids import shown_folder
from schemas.events import Event
from tests.leadline.conftest import Leadline
from tests.leadline.progress.pseudo_terminal import in_terminal, plain

QUESTION = "Where was the designer of the wire sounding machine born?"
PLAN: dict[str, Any] = {
    "title": "Kelvin and his machine",
    "steps": [
        {"id": "1", "title": "The designer of the wire sounding machine", "step_type": "research", "depends_on": []},
        {"id": "2", "title": "His birthplace", "step_type": "research", "depends_on": []},
        {"id": "3", "title": "How long ago that was", "step_type": "processing", "depends_on": ["1", "2"]},
    ],
}
USED: dict[str, Any] = {"calls": 1, "input_tokens": 1_000, "output_tokens": 234, "cost": 0.5}


def told(kind: str, said: str = "", /, node: str = "researcher", **data: object) -> Event:
    return Event.model_validate({"type": kind, "node": node, "title": said, "data": data})


EVENTS = [
    told("triage", "Understanding the question", intent="in_scope", locale="en-US"),
    told("plan", "Research plan", **PLAN),
    told("step_started", "Step 1", step="1", attempt=1),
    told("step_started", "Step 2", step="2", attempt=1),
    told("source", "Read: Tallow", step="2", url="tallow.md", title="Tallow"),
    told("call", "researcher: 1,234 tokens", role="researcher", **USED),
    told("step_finished", "Step 1 done", step="1", status="done", excerpts=3, confidence=0.82),
]


def seen(events: list[Event]) -> Watched:
    watched = Watched()
    for event in events:
        watched.see(event)
    return watched


def drawn(watched: Watched, width: int, height: int = 30) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True)
    with console.capture() as captured:
        console.print(Board(console, watched)())
    return re.sub(r"\x1b\[[0-9;]*m", "", captured.get()).splitlines()


def printed(*events: Event) -> list[str]:
    """Return the lines of a log."""
    written = io.StringIO()
    lines = Lines(Console(file=written, width=80))
    for event in events:
        lines(event)
    return written.getvalue().splitlines()


def test_a_plan_is_printed_in_its_language(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(told("triage", "理解问题", locale="zh-CN"), told("plan", "计划", **PLAN), told("notice", "检索"))
    assert any("3. [计算] How long ago that was" in line for line in lines)
    steps = [{**step, "queries": []} for step in PLAN["steps"]]
    Display().ask({"message": "计划", "plan": {"locale": "zh-CN", "title": "", "steps": steps}})
    shown = capsys.readouterr().err
    assert "1. [研究] The designer" in shown
    assert "回车 = 接受" in shown


def test_a_plan_that_waits_for_its_review_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=io.StringIO(), width=80)
    lines = Lines(console)
    lines(told("plan", "Research plan", **PLAN))
    lines(told("call", "planner: 1,234 tokens", role="planner", **USED))
    lines.ask(
        {"message": "Please review", "plan": {**PLAN, "steps": [{**step, "queries": []} for step in PLAN["steps"]]}}
    )
    lines(told("step_started", "Step 1", step="1", attempt=1))
    assert "His birthplace" not in console.file.getvalue()  # type: ignore[attr-defined]  # it is a StringIO
    assert capsys.readouterr().err.count("His birthplace") == 1


def test_an_edited_plan_takes_the_place_of_the_one_before_and_a_replan_stands_below() -> None:
    assert len(seen([*EVENTS[:2], told("plan", "again", **PLAN)]).plans) == 1
    again: dict[str, Any] = {"title": "More", "steps": [{**PLAN["steps"][1], "id": "4"}]}
    assert [plan.title for plan in seen([*EVENTS, told("plan", "again", **again)]).plans] == [PLAN["title"], "More"]


def test_the_cost_is_not_shown_once_a_price_is_unknown() -> None:
    watched = seen([*EVENTS, told("call", **{**USED, "cost": None})])
    assert watched.cost is None
    assert "$" not in drawn(watched, 120)[-1]


def test_what_called_no_model_and_wrote_no_report_has_no_account() -> None:
    watched = seen([told("notice", "Changing the report", node="reporter")])
    assert "sources 0" in "\n".join(drawn(watched, 80))
    watched.end()
    assert drawn(watched, 80) == []


def test_the_picture_shows_every_step_what_it_came_to_and_the_account() -> None:
    text = "\n".join(drawn(seen(EVENTS), 120))
    assert "Plan 1: Kelvin and his machine" in text
    assert "✓ 1 The designer of the wire sounding machine  3 quotes, 82%" in text
    assert "2 His birthplace  sources 1, last: Tallow" in text
    assert "· 3 How long ago that was  after 1, 2" in text
    assert "calls 1 · tokens 1,234 · sources 1 · 0:00 · $0.5000" in text


@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_no_line_reaches_the_edge(width: int) -> None:
    lines = drawn(seen(EVENTS), width)
    assert len(lines) == 6
    assert max(map(len, lines)) < width


def test_a_low_terminal_shows_what_is_under_way_and_counts_the_rest() -> None:
    lines = drawn(seen(EVENTS), 80, height=6)
    assert len(lines) < 6
    assert lines[0] == "… 2 more"
    assert lines[-1].startswith("  calls 1")


def test_what_stands_still_is_said_when_it_ends() -> None:
    watched = seen(EVENTS)
    watched.end()
    text = drawn(watched, 80)
    assert any(line.startswith("  - 2 His birthplace") for line in text)
    assert not any("Step 1 done" in line for line in text)


def test_hours_are_shown_as_hours() -> None:
    assert [clock(one) for one in (7.9, 754, 3_723)] == ["0:07", "12:34", "1:02:03"]


async def test_the_account_has_the_sources_that_the_report_names_where_no_step_quoted_one(docs: Path) -> None:
    watched = Watched()
    told: list[str] = []

    def see(event: Event) -> None:
        watched.see(event)
        told.append(event.title)

    await aresearch(QUESTION, docs=[docs], depth="quick", on_event=see)
    named = re.search(r"(\d+) sources$", "\n".join(told), re.MULTILINE)
    assert named is not None
    assert int(named[1]) > 0
    assert watched.account().startswith(f"sources {named[1]} · "), "without a model there are no calls and tokens"
    assert not re.search("tokens", "\n".join(told))


def test_in_a_terminal_the_picture_is_on_stderr_and_the_report_alone_on_stdout(docs: Path) -> None:
    out, shown = in_terminal(["research", QUESTION, "--docs", str(docs)], 40, COLUMNS="200")
    assert out.startswith("# ")
    assert "\x1b[" not in out
    last = plain(shown.rpartition("\x1b[2K")[2])
    assert last.startswith("Plan 1: ")
    assert "✓ 1 " in last
    assert "\x1b[?25h" in shown, "the cursor is shown again"
    assert max(map(len, last.partition("Written to")[0].splitlines())) < 40


def test_a_dumb_terminal_gets_lines(docs: Path) -> None:
    _, shown = in_terminal(["research", QUESTION, "--docs", str(docs)], 80, TERM="dumb")
    assert "\x1b" not in shown
    assert "> Step 1" in shown


def test_colours_that_are_forced_do_not_make_a_pipe_a_terminal(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = leadline("research", QUESTION, "--docs", docs)
    assert "\x1b[1A" not in ran.err
    assert "> Step 1" in ran.err


def test_a_terminal_that_knows_ascii_only_or_wants_no_colours_gets_no_others(docs: Path) -> None:
    _, shown = in_terminal(["research", QUESTION, "--docs", str(docs)], 80, PYTHONIOENCODING="ascii", NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)
    assert "+ 1 " in plain(shown)
    assert shown.partition("Written to")[0].isascii()  # the questions that it then recommends quote what sources say


def test_events_are_json_lines_on_stderr_and_the_report_is_on_stdout(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs, "--events", "--json")
    events = [Event.model_validate_json(line) for line in ran.err.splitlines()]
    report = json.loads(ran.out)
    assert events[0].data["run_id"] == report["run_id"]
    types = {event.type for event in events}
    assert {"triage", "background", "plan", "step_started", "source", "call", "report"} <= types
    end = events[-1]
    assert (end.type, end.data["exit"], end.data["folder"]) == ("end", 0, report["folder"])
    assert f"{shown_folder(report['folder'])} · check it: leadline verify" in end.title


def test_events_end_with_what_went_wrong(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", QUESTION, "--docs", docs / "nowhere", "--events")
    end = Event.model_validate_json(ran.err.splitlines()[-1])
    assert ran.code == end.data["exit"] == 2
    assert "does not exist" in end.title


def test_events_of_a_resumed_run_that_is_interrupted_again_name_the_run(
    leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert leadline("research", "有多少艘蒸汽船？", "--docs", docs, "--review").code == 130
    monkeypatch.setattr("leadline.runs.actions.carry_out", interrupted)
    events = [Event.model_validate_json(line) for line in leadline("resume", "--events").err.splitlines()]
    first, end = events[0], events[-1]
    assert end.data["run_id"] == first.data["run_id"]
    assert end.title == "已中断。继续：leadline resume"


def test_a_resumed_run_is_shown_whole(leadline: Leadline, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    waiting = leadline("research", QUESTION, "--docs", docs, "--review", "--max-plans", "1", "--events")
    end = Event.model_validate_json(waiting.err.splitlines()[-1])
    assert (waiting.code, end.data["exit"]) == (130, 130)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    ran = leadline("resume", str(end.data["run_id"])[:17], "--events", code=0)
    events = [Event.model_validate_json(line) for line in ran.err.splitlines() if line.startswith("{")]
    assert [event.type for event in events][:2] == ["notice", "plan"]
    watched = seen(events)
    assert {step.state for step in watched.plans[0].steps} == {"done"}


REFLECTED = told(
    "reflection",
    "Reflection: still missing: tallow",
    node="reflector",
    outline=[
        {"id": "1", "title": "The machine", "excerpts": 3, "sources": 2, "thin": False},
        {"id": "1.1", "title": "Wire", "excerpts": 0, "sources": 0, "thin": True},
    ],
)


def test_a_reflection_shows_what_each_node_of_the_outline_has() -> None:
    lines = printed(EVENTS[0], REFLECTED, told("triage", "看", locale="zh-CN"), REFLECTED)
    assert "    1 The machine: 3 quotes, 2 sources" in lines
    assert "    1.1 Wire: 0 quotes, 0 sources, too little evidence" in lines
    assert "    1.1 Wire：0 条引文，0 个来源，证据不足" in lines


def test_a_source_that_several_steps_quote_has_one_line() -> None:
    read = (("1", "tallow.md"), ("2", "tallow.md"), ("2", "other/tallow.md"))
    lines = printed(*(told("source", "Read: Tallow", step=step, url=url, title="Tallow") for step, url in read))
    assert "\n".join(lines).count("Read: Tallow") == 2


def test_the_picture_says_how_many_nodes_are_thin() -> None:
    assert "outline: 2 topics, 1 with too little evidence" in "\n".join(drawn(seen([*EVENTS, REFLECTED]), 80))
    assert "outline" not in "\n".join(drawn(seen(EVENTS), 80))
