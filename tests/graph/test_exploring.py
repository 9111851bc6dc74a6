"""Whole runs over a folder of texts, which programs explore: looks, quotes, and the first draft held against the texts."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.coder import LOOKED
from schemas.depth import LEVELS, Depth
from schemas.events import Event
from schemas.reporter import Report
from services.reports.bundle import verify_bundle
from services.run.errors import SandboxRefused
from services.sandbox.sandbox import Sandbox
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer, Scripted, role_of
from tests.fakes.quoting import quoting
from tests.fakes.read_folder import filled
from tests.graph.test_tools import endpoint

__all__ = ["endpoint"]
pytestmark = pytest.mark.long
QUESTION = "How many letters are there, and how many of them tell what the keeper saw?"


def letters(folder: Path, numbers: range, text: str) -> Path:
    """Write a letter for each number, which stands in the text where that has braces."""
    return filled(folder, {f"letter-{n:02}.md": f"# Letter {n}\n\n{text.format(n)}\n" for n in numbers})


def step_of(description: str) -> str:
    """Return a plan of one processing step, as a model gives it."""
    step = {"id": "1", "title": "Mail", "description": description, "step_type": "processing"}
    return json.dumps({"title": "Mail", "steps": [step]})


@pytest.fixture
def post(endpoint: OpenAIServer, tmp_path: Path) -> Path:
    """A folder of fifteen letters, and a model that plans one step over all of them."""
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    return letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.")


async def counted(folder: Path, tmp_path: Path, **choices: Any) -> Report:
    """Research how many letters there are, by one plan."""
    return await aresearch(QUESTION, docs=[folder], out=tmp_path / "out", max_plan_iterations=1, **choices)


def written(codes: Iterable[Any]) -> list[Scripted]:
    """Return answers of a coder."""
    return [json.dumps({"description": "letters", **code}) for code in codes]


def outcome(report: Report) -> tuple[str, list[str]]:
    """Return how the only step of a report ended, and what it quoted."""
    [result] = report.results
    return result.status, [excerpt.quote for excerpt in result.excerpts]


async def test_what_a_program_copies_from_texts_is_quoted_from_them_and_its_tables_have_their_heads(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folder = letters(tmp_path / "post", range(1, 15), "The keeper saw\nthe mail of day {}. He slept.\n\nEnd.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    counts = (
        "rows = open('post-texts.jsonl').read().splitlines()\nprint('Letters and their ends:')\n"
        "print(f'| letters | ends |\\n| --- | --- |\\n| {len(rows)} | {sum(\"End.\" in row for row in rows)} |')"
    )
    copies = "".join(f"\nprint('QUOTE letter-{n}.md: saw the mail of day 3.')" for n in ("03", "04"))
    codes = ["print('Nothing else.')\nprint('QUOTE letter-01.md: what nobody wrote in it')", counts + copies]
    endpoint.script["coder"] = [json.dumps({"description": "letters", "code": code}) for code in codes]
    endpoint.script["reporter"] = [
        "# Mail\n\nThe keeper saw the mail of day 3 [E1-3]. Of 14 letters 14 have ends [E1-2].\n"
    ]
    report = await counted(folder, tmp_path, max_step_attempts=1)
    [_, mended] = endpoint.asked("coder")
    assert "what it quotes stands in none of the texts" in mended
    [result] = report.results
    assert result.finding == "Letters and their ends:\n| letters | ends |\n| --- | --- |\n| 14 | 14 |"
    assert [(excerpt.quote, excerpt.heads, excerpt.section) for excerpt in result.excerpts] == [
        ("Letters and their ends:", "", "Output"),
        ("| 14 | 14 |", "| letters | ends |", "Output"),
        ("The keeper saw\nthe mail of day 3.", "", "Letter 3"),
    ]
    assert "letter-03.md" in report.markdown
    [reflected, *_] = endpoint.asked("reflector")
    assert (reflected.count("| letters | ends |"), reflected.count("| --- |")) == (1, 0)
    assert verify_bundle(Path(report.folder or "")).problems == []


async def test_a_program_looks_at_the_texts_first_and_what_it_quotes_survives_its_second_attempt(
    endpoint: OpenAIServer, post: Path
) -> None:
    warn = "import warnings\nwarnings.warn('Columns are of mixed types.')\n"
    count = f"{warn}print(len(open('post-texts.jsonl').readlines()), 'letters were read{{}}.')\nprint('QUOTE letter-1{{}}.md: saw the mail')"
    look = {"look": True, "code": "print('A letter is a heading and a sentence.')"}
    codes = [{"code": count.format("", 1)}, {"code": count.format(" again", 2)}]
    endpoint.script["coder"] = written((look, codes[0], codes[1]))
    redone = {"step_id": "1", "reason": "Read again.", "redo": True, "feedback": "Quote letter 12."}
    endpoint.script["reflector"] = [json.dumps({"steps": [redone]}), json.dumps({"has_enough_context": True})]
    report = await aresearch(QUESTION, docs=[post])
    systems = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "coder"]
    assert ["look at the texts" in system for system in systems] == [True, True, True]
    [_, second, _] = endpoint.asked("coder")
    assert "<output>\nA letter is a heading and a sentence.\n" in second
    [result] = report.results
    assert [(excerpt.id, excerpt.quote) for excerpt in result.excerpts] == [
        ("E1-2", "The keeper saw the mail of day 11."),
        ("E1-3", "15 letters were read again."),
        ("E1-4", "The keeper saw the mail of day 12."),
    ]


async def test_programs_read_on_from_what_the_last_look_printed_and_a_step_may_be_quotes_alone(
    endpoint: OpenAIServer, post: Path, tmp_path: Path
) -> None:
    looks = [
        {"look": True, "thought": "How are they built?", "code": "print('LISTED', 'word ' * 30_000)"},
        {"look": True, "thought": "Day 11 matters.", "code": "print('QUOTE letter-11.md: saw the mail of day 11')"},
        {"look": True, "thought": "Day 90?", "code": "print('QUOTE letter-90.md: saw the mail of day 90')"},
    ]
    last = {
        "finding": "The keeper saw it on two days.",
        "code": "print('QUOTE letter-12.md: saw the mail')",
    }
    endpoint.script["coder"] = written([*looks, last])
    events: list[Event] = []
    report = await counted(post, tmp_path, on_event=events.append)
    assert [event.data["excerpts"] for event in events if event.type == "round"] == [0, 1, 1]
    first, *later = endpoint.asked("coder")
    assert "<look>" not in first
    assert ["LISTED" in prompt for prompt in later] == [True, False, False]
    assert "more characters)" in later[0]
    assert ["<code>" in prompt for prompt in later] == [False, False, True], "of one that failed"
    assert ["The keeper saw the mail of day 10" in prompt for prompt in (first, *later)] == [True, False, False, False]
    assert len(first) + 3 * LOOKED < len(later[0]) < len(first) + 5 * LOOKED
    assert all("<thought>\nHow are they built?\n" in prompt for prompt in later)
    assert "<quote>Letter 11: The keeper saw the mail of day 11.</quote>" in later[2]
    assert ["stands in none of the texts" in prompt for prompt in later] == [False, False, True]
    assert "<missed>letter-90.md: saw the mail of day 90</missed>" in later[2]
    assert [re.findall(r'<looks left="(\d+)">', prompt) for prompt in (first, *later)] == [["6"], ["5"], ["4"], ["3"]]
    systems = {body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "coder"}
    begun = {prompt.partition("<sample")[0].partition("<look>")[0] for prompt in (first, *later)}
    assert (len(systems), len(begun)) == (1, 1), "a cache of prompts holds them"
    [result] = report.results
    assert (result.status, result.finding) == ("done", "The keeper saw it on two days.")
    assert [excerpt.quote for excerpt in result.excerpts] == [
        "The keeper saw the mail of day 11.",
        "The keeper saw the mail of day 12.",
    ]
    assert verify_bundle(Path(report.folder or "")).problems == []
    count = len(endpoint.requests)
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(endpoint.requests) == count


async def test_a_second_plan_sees_what_programs_computed_and_of_what_they_quoted_the_finding(
    endpoint: OpenAIServer, post: Path
) -> None:
    code = "print('Fifteen letters: 15.')\nprint('QUOTE letter-12.md: saw the mail')"
    endpoint.script["coder"] = written([{"code": code, "finding": "He saw it on a day."}])
    endpoint.script["planner"] *= 2
    endpoint.script["reflector"] = [
        json.dumps({"missing_aspects": ["who wrote"]}),
        json.dumps({"has_enough_context": True}),
    ]
    await aresearch(QUESTION, docs=[post])
    _, second = endpoint.asked("planner")
    assert all(said in second for said in ("He saw it on a day.", "Fifteen letters: 15."))
    assert "saw the mail of day 12" not in second.partition("<findings>")[2]


async def test_numbers_that_a_look_quoted_may_stand_in_the_last_program(endpoint: OpenAIServer, tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw 48{0} lamps on day {0}.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    look = {"look": True, "code": "for n in (11, 12): print(f'QUOTE letter-{n}.md: saw 48{n} lamps')"}
    endpoint.script["coder"] = written([look, {"code": "print('That is', 4811 + 4812, 'lamps.')"}])
    report = await aresearch("How many lamps were there, and on which days?", docs=[folder], max_plan_iterations=1)
    assert report.results[0].finding == "That is 9623 lamps."


async def test_programs_hold_the_first_draft_against_all_texts(endpoint: OpenAIServer, tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {0}. It was wet on day {0}.")
    plan = {**json.loads(step_of("Quote post-texts.jsonl.")), "outline": [{"title": "Mail", "wanted": "Its days"}]}
    endpoint.script["planner"] = [json.dumps(plan)]
    endpoint.script["coder"] = [
        json.dumps({"description": "letters", **code})
        for code in (
            {"code": "print('QUOTE letter-11.md: saw the mail')", "finding": "Seen."},
            {"code": "print('open')", "look": True},
            {"code": "print('QUOTE letter-11.md: It was wet')", "finding": "The draft omits that it was wet."},
        )
    ]
    endpoint.script["reporter"] = [
        "# Mail\n\nThe keeper saw the mail of day 11 [E1-1].\n\n===\nWhy?\n\n===\nThe mail was lost.\n",
        "# Mail\n\nThe keeper saw the mail of day 11 [E1-1]. It was wet on day 11 [E2-1].\n",
    ]
    report = await counted(folder, tmp_path, length="full")
    _, first, second = endpoint.asked("coder")
    assert "<draft>\n# Mail\n\nThe keeper saw the mail of day 11 [post/letter-11.md].\n</draft>" in first
    assert "- The mail was lost." in first
    assert "<findings>" not in first
    assert "<output>\nopen\n" in second
    [_, rewritten] = endpoint.asked("reporter")
    assert "The draft omits that it was wet." in rewritten
    assert "It was wet on day 11" in report.markdown
    assert [(step.id, step.step_type) for step in report.plans[-1].steps] == [("1", "processing"), ("2", "processing")]
    assert verify_bundle(Path(report.folder or "")).problems == []
    count = len(endpoint.requests)
    assert (await areplay(report.run_id)).markdown == report.markdown
    assert len(endpoint.requests) == count


async def test_what_no_program_finds_is_searched(endpoint: OpenAIServer, tmp_path: Path) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.")
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl: what the keeper saw.")]
    endpoint.script["coder"] = [json.dumps({"description": "letters", "code": "print(1 / 0)"})] * 3
    endpoint.choose = lambda body: quoting("The keeper saw the mail of day 11.")(body) if role_of(body) == "researcher" else None  # fmt: skip
    report = await counted(folder, tmp_path)
    assert outcome(report) == ("done", ["The keeper saw the mail of day 11."])
    assert any("ZeroDivisionError" in limit for limit in report.limits)


@pytest.mark.parametrize(("mode", "offered"), [("isolated", False), ("unsafe", True)])
async def test_texts_are_offered_to_a_planner_only_where_programs_run(
    endpoint: OpenAIServer,
    tmp_path: Path,
    environment: SetEnvironment,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    offered: bool,
) -> None:
    async def refused(self: Sandbox, python: Path) -> None:
        raise SandboxRefused("no isolation")

    monkeypatch.setattr(Sandbox, "_require_isolation", refused)
    environment(LEADLINE_SANDBOX=mode)
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.")
    await aresearch(QUESTION, docs=[folder], max_plan_iterations=1)
    [planned, *_] = endpoint.asked("planner")
    assert ("post-texts.jsonl" in planned) == offered


@pytest.mark.parametrize(("depth", "tokens"), [("standard", LOOKED), ("deep", LEVELS["deep"].passage_tokens)])
async def test_looks_are_larger_where_a_depth_shows_more(
    endpoint: OpenAIServer, post: Path, depth: Depth, tokens: int
) -> None:
    endpoint.script["coder"] = written([{"code": "print('QUOTE letter-12.md: saw the mail')"}])
    await aresearch(QUESTION, docs=[post], depth=depth, max_plan_iterations=1)
    [system, *_] = [body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "coder"]
    [shown] = re.findall(r"in at most (\d+) characters", system)
    assert 3 * tokens < int(shown) <= 4 * tokens


async def test_looks_end_when_none_is_left(endpoint: OpenAIServer, post: Path, tmp_path: Path) -> None:
    look = {"look": True, "code": "print('There are letters.')", "description": "letters"}
    endpoint.script["coder"] = [json.dumps(look)] * 9
    report = await counted(post, tmp_path)
    assert len(endpoint.asked("coder")) == LEVELS["standard"].looks + 1
    assert report.results[0].finding.endswith("There are letters.")
