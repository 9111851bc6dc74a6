"""`kill -9` at any moment: the resumed run asks nothing again that was answered, and comes to the same report."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer, openai_server

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"
CALLS = 6
"""Model calls of the run: coordinator, planner, two researchers, reflector, reporter."""
MOMENTS = ["Understanding", "Looking around", "Making the research plan", "Step 1 done", "Reflection", "Report:"]


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as started:
        yield started


@pytest.fixture(autouse=True)
def _endpoint(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.requests.clear()
    server.roles.clear()
    server.on_request = None
    monkeypatch.setenv("OPENAI_API_KEY", server.key)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-u", "-m", "leadline.cli", *map(str, arguments)]


def start(docs: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command("research", QUESTION, "--docs", docs, "--out", "out"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )


def resume() -> str:
    done = subprocess.run(command("resume"), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_run_that_is_not_killed_makes_so_many_calls(server: OpenAIServer, docs: Path) -> None:
    child = start(docs)
    child.communicate(timeout=60)
    assert child.returncode == 0
    assert sorted(server.roles) == sorted(
        ["coordinator", "planner", "researcher", "researcher", "reflector", "reporter"]
    )


@pytest.mark.parametrize("number", range(1, CALLS + 1))
def test_killed_while_a_call_is_under_way(server: OpenAIServer, docs: Path, number: int) -> None:
    child = start(docs)

    def kill(count: int) -> None:
        if count == number:
            child.send_signal(signal.SIGKILL)
            child.wait(30)

    server.on_request = kill
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    under_way = sum(role == "researcher" for role in server.roles) if server.roles[-1] == "researcher" else 1
    server.on_request = None
    report = resume()
    assert "William Thomson" in report
    assert "Tallow was pressed" in report
    assert CALLS < len(server.requests) <= CALLS + under_way


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_between_calls(server: OpenAIServer, docs: Path, moment: str) -> None:
    child = start(docs)
    assert child.stderr is not None
    for line in child.stderr:
        if moment in line:
            child.send_signal(signal.SIGKILL)
            break
    child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL
    report = resume()
    assert "William Thomson" in report
    repeated = len(server.requests) - CALLS
    assert repeated <= (1 if moment == "Step 1 done" else 0)
