"""The limits of programs that explore a folder of texts: time, tokens, small windows, failing calls, and several folders."""

import json
from pathlib import Path

import pytest

from leadline import aresearch
from leadline.runs.actions import areplay
from schemas.events import Event
from services.models import answer_watch
from services.turn import programs
from tests.conftest import SetEnvironment
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, error, role_of
from tests.graph.test_exploring import QUESTION, counted, letters, outcome, post, step_of, written
from tests.graph.test_tools import endpoint

__all__ = ["endpoint", "post"]
pytestmark = pytest.mark.long
FIRST = "The keeper saw the mail of day 11."


@pytest.mark.parametrize(("ends", "crash"), [("refused", ""), ("failing", ""), ("failing", "\n1 / 0")])
async def test_what_looks_quoted_stays_where_no_program_computes(
    endpoint: OpenAIServer, post: Path, tmp_path: Path, ends: str, crash: str
) -> None:
    quoting = f"print('QUOTE letter-11.md: saw the mail of day 11'){crash}"
    look = {"look": True, "thought": "Day 11 matters.", "code": quoting}
    codes = [look, {"look": True, "code": "print('more')"}, *[{"code": "print(1 / 0)"}] * 3]
    endpoint.script["coder"] = written(codes)
    if ends == "refused":
        endpoint.fault = lambda number, role, body: (
            error(400, "No more of these.", "refused", "messages") if role == "coder" and number > 5 else None
        )
    report = await counted(post, tmp_path)
    assert outcome(report) == ("done", [FIRST])
    said = "No more of these" if ends == "refused" else "The last program failed: ZeroDivisionError: division by zero"
    assert any(said in limit for limit in report.limits)
    assert not any("File" in limit for limit in report.limits)


@pytest.mark.parametrize("code", ["print(1 / 0)", "x = 1"])
async def test_a_model_whose_looks_fail_one_after_the_other_writes_no_further_program(
    endpoint: OpenAIServer, post: Path, tmp_path: Path, code: str
) -> None:
    endpoint.script["coder"] = written([{"look": True, "code": "print('open')"}, *[{"look": True, "code": code}] * 9])
    report = await counted(post, tmp_path)
    assert endpoint.roles.count("coder") == 1 + programs.MAX_CODE_RUNS
    said = "ZeroDivisionError" if "0" in code else "it printed nothing"
    assert said in report.results[0].error
    assert "researcher" in endpoint.roles  # a search stands in


async def test_no_look_is_offered_for_which_time_or_tokens_would_not_suffice(
    endpoint: OpenAIServer, post: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "ROOM", 10**9)  # calls for which there is never room
    codes = [{"look": True, "code": "print('open')"}, {"code": "print('QUOTE letter-12.md: saw the mail')"}]
    endpoint.script["coder"] = written(codes)
    await counted(post, tmp_path, max_tokens=100_000)
    assert [prompt.count('<looks left="0">') for prompt in endpoint.asked("coder")] == [0, 1]


async def test_where_two_folders_have_files_of_one_name_a_quote_is_of_the_folder_that_it_names(
    endpoint: OpenAIServer, tmp_path: Path
) -> None:
    folders = [letters(tmp_path / name, range(10, 25), f"Wait {{}}{name} seconds.") for name in ("v1", "v2")]
    endpoint.script["planner"] = [step_of("Quote v1-texts.jsonl and v2-texts.jsonl.")]
    quotes = ["v2/letter-11.md: Wait 11", "letter-12.md: Wait 12", "v1/letter-13.md: Wait 13"]
    endpoint.script["coder"] = written([{"code": "\n".join(f"print('QUOTE {quote}')" for quote in quotes)}])
    report = await aresearch(QUESTION, docs=folders, max_plan_iterations=1)
    [first, *_] = endpoint.asked("coder")
    assert '"path": "v2/letter-' in first
    assert [excerpt.quote for excerpt in report.results[0].excerpts] == ["Wait 11v2 seconds.", "Wait 13v1 seconds."]


async def test_what_was_quoted_stays_where_time_runs_out_amid_a_look(
    endpoint: OpenAIServer, post: Path, tmp_path: Path
) -> None:
    look = {"look": True, "thought": "Day 11 matters.", "code": "print('QUOTE letter-11.md: saw the mail of day 11')"}
    endpoint.script["coder"] = [*written([look]), Reply(stall=20)]
    report = await counted(post, tmp_path, max_seconds=15)
    [result] = report.results
    assert [excerpt.quote for excerpt in result.excerpts] == [FIRST]
    assert (result.status, result.finding) == ("done", "Day 11 matters.")
    count = len(endpoint.requests)
    assert (await areplay(report.run_id)).results == report.results
    assert len(endpoint.requests) == count


async def test_a_step_that_runs_out_of_time_before_anything_is_quoted_is_skipped(
    endpoint: OpenAIServer, post: Path, tmp_path: Path
) -> None:
    endpoint.script["coder"] = [*written([{"look": True, "code": "print('open')"}]), Reply(stall=20)]
    report = await counted(post, tmp_path, max_seconds=12)
    assert [result.status for result in report.results] == ["skipped"]


async def test_a_program_has_half_of_the_time_left_and_tells_that_it_runs(
    endpoint: OpenAIServer, post: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_watch, "REPORT_EVERY", 0.2)
    codes = [{"look": True, "code": "import time\ntime.sleep(50)"}, {"code": "print('QUOTE letter-11.md: saw the')"}]
    endpoint.script["coder"] = written(codes)
    events: list[Event] = []
    report = await counted(post, tmp_path, max_seconds=15, on_event=events.append)
    assert [excerpt.quote for excerpt in report.results[0].excerpts] == [FIRST]
    assert "stopped by timeout" in endpoint.asked("coder")[1]
    assert any(event.type == "call_progress" and event.data["state"] == "running" for event in events)


@pytest.mark.parametrize("tokens", [20_000, 40_000, 60_000])
async def test_looks_leave_tokens_for_the_program_that_computes(
    endpoint: OpenAIServer, tmp_path: Path, tokens: int
) -> None:
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.\n\n" + "And more. " * 200)
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    looks = {"look": True, "code": "print(open('post-texts.jsonl').read())"}
    last = {"code": "print('QUOTE letter-11.md: saw the mail')"}
    endpoint.choose = lambda body: (
        json.dumps(
            {"description": "letters", **(last if '<looks left="0">' in body["messages"][1]["content"] else looks)}
        )
        if role_of(body) == "coder"
        else None
    )
    report = await counted(folder, tmp_path, max_tokens=tokens)
    assert [excerpt.quote for excerpt in report.results[0].excerpts] == [FIRST]


async def test_the_file_of_all_texts_stays_in_a_prompt_that_is_too_long(
    endpoint: OpenAIServer, tmp_path: Path, environment: SetEnvironment
) -> None:
    environment(LEADLINE_CONTEXT_WINDOW="8000")
    folder = letters(tmp_path / "post", range(10, 25), "The keeper saw the mail of day {}.\n\n" + "And more. " * 200)
    endpoint.script["planner"] = [step_of("Quote post-texts.jsonl.")]
    look = {"look": True, "thought": " ".join(map(str, range(300))), "code": "print(open('post-texts.jsonl').read())"}
    endpoint.script["coder"] = written([*[look] * 6, {"code": "print('QUOTE letter-11.md: saw the mail')"}])
    report = await counted(folder, tmp_path)
    assert all(
        "QUOTE path: words" in body["messages"][0]["content"] for body in endpoint.requests if role_of(body) == "coder"
    )
    assert [excerpt.quote for excerpt in report.results[0].excerpts] == [FIRST]
