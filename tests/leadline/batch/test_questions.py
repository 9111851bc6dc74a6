"""Many questions at a time: what is done stays done, what was begun goes on, what fails is named."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from leadline import aresearch
from leadline.batch.questions import read_batch, read_results
from services.run.errors import BadInput
from tests.fakes.openai_server import OpenAIServer, error
from tests.leadline.conftest import Leadline

DESIGNER = "Who designed the wire sounding machine?"
TALLOW = "Why was tallow pressed into the hollow of the lead?"
BORN = "Where was the designer of the wire sounding machine born?"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    lines = [DESIGNER, json.dumps({"id": "tallow", "question": TALLOW, "max_plan_iterations": 1}), BORN]
    file.write_text("\n".join([*lines, ""]))
    return file


def results(questions: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in questions.with_name("questions.jsonl.results.jsonl").read_text().splitlines()]


def test_every_question_gets_a_report_and_a_line(docs: Path, questions: Path, leadline: Leadline) -> None:
    ran = leadline("batch", questions, "--docs", docs, "--jobs", "2")
    assert ran.code == 0, ran.err
    assert not ran.out
    done = [line for line in results(questions) if line["status"] == "done"]
    assert sorted(line["id"] for line in done) == ["1", "3", "tallow"]
    for line in done:
        assert (Path(line["folder"]) / "evidence.json").exists()
        assert line["claims"] == line["verified"] == line["sure"] == sum(line["statuses"].values()) > 0
        assert set(line["statuses"]) <= {"quoted", "supported"}
    assert re.search(
        r"[✓!] tallow .+ \(Answers the question: \w+ · every quote checked \(\d+ statements?: \d+", ran.err
    )


def test_what_is_done_is_not_done_again(docs: Path, questions: Path, leadline: Leadline) -> None:
    ran = leadline("batch", questions, "--docs", docs)
    assert ran.code == 0, ran.err
    before = results(questions)
    questions.write_text(questions.read_text() + "Who was knighted in 1866?\n")
    assert leadline("batch", questions, "--docs", docs).code == 0
    assert [line["id"] for line in results(questions)[len(before) :]] == ["4", "4"]


def test_a_batch_that_was_killed_goes_on_where_it_stopped(
    endpoint: OpenAIServer, docs: Path, questions: Path, leadline: Leadline
) -> None:
    command = [sys.executable, "-m", "leadline.cli.app", "batch", str(questions), "--docs", str(docs), "--jobs", "3"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ})

    def kill(number: int) -> None:
        if number == 9:
            child.send_signal(signal.SIGKILL)
            child.wait(30)

    endpoint.on_request = kill
    child.communicate(timeout=90)
    assert child.returncode == -signal.SIGKILL
    endpoint.on_request = None
    begun = {line["id"]: line["run_id"] for line in results(questions)}
    assert len(begun) == 3
    assert leadline("batch", questions, "--docs", docs).code == 0
    ended = {line["id"]: line["run_id"] for line in results(questions) if line["status"] == "done"}
    assert ended == begun
    triaged = endpoint.roles.count("coordinator")
    assert triaged == 3


def test_a_question_that_fails_is_named_and_tried_again(
    endpoint: OpenAIServer, docs: Path, questions: Path, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.script["coordinator"] = [error(404, "no such model", "model_not_found")]
    ran = leadline("batch", questions, "--docs", docs, "--jobs", "1")
    assert ran.code == 1
    assert "FAILED 1" in ran.err
    assert "2 of 3 done" in ran.err
    assert leadline("batch", questions, "--docs", docs).code == 0


def test_a_line_that_a_crash_cut_off_is_left_out(docs: Path, questions: Path, leadline: Leadline) -> None:
    kept = questions.with_name("questions.jsonl.results.jsonl")
    kept.write_text('{"id": "1", "question": "cut o')
    ran = leadline("batch", questions, "--docs", docs)
    assert ran.code == 0, ran.err
    assert {one.status for one in read_results(kept).values()} == {"done"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "are empty"),
        ('{"question": ', "line 1"),
        ('{"id": "a"}', "line 1"),
        ('{"question": " "}', "is empty"),
        ('{"id": "a", "question": "x"}\n{"id": "a", "question": "y"}', "more than one line"),
    ],
    ids=["empty", "no JSON", "no question", "blank", "one id twice"],
)
def test_a_batch_file_that_cannot_be_used_is_bad_input(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "b.jsonl"
    file.write_text(text)
    with pytest.raises(BadInput, match=said):
        read_batch(file)


async def test_a_run_that_ends_leaves_the_connections_of_others_alone(endpoint: OpenAIServer, docs: Path) -> None:
    ended = threading.Event()

    def hold(number: int) -> None:
        if endpoint.roles[number - 1] == "reporter" and "tallow" in str(endpoint.requests[number - 1]).lower():
            ended.wait(30)

    endpoint.on_request = hold

    async def first() -> None:
        await aresearch(DESIGNER, docs=[docs])
        ended.set()

    _, second = await asyncio.gather(first(), aresearch(TALLOW, docs=[docs], max_plan_iterations=1))
    assert "sample of the bottom" in second.markdown
