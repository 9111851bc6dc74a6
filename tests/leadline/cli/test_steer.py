"""`leadline follow RUN`: another process says something to a run under way, and the run follows it, also after `kill -9`."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from leadline import research, steer
from leadline.runs.actions import aruns
from services.run.errors import BadInput
from tests.fakes.openai_server import OpenAIServer, openai_server, role_of, think

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"


@dataclass(slots=True)
class Running:
    """The command, with a model on loopback that holds the first calls of a role back."""

    endpoint: OpenAIServer
    docs: Path
    held: str = ""
    after: int = 0
    """Calls of the role that are let through before."""
    reached: threading.Event = field(default_factory=threading.Event)
    let: threading.Event = field(default_factory=threading.Event)

    def hold(self, role: str, after: int = 0) -> None:
        self.held, self.after = role, after
        self.reached.clear()
        self.let.clear()

    def release(self) -> None:
        self.held = ""
        self.let.set()

    def on_request(self, number: int) -> None:
        roles = self.endpoint.roles[:number]
        if roles[-1] == self.held and roles.count(self.held) > self.after:
            self.reached.set()
            self.let.wait(60)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        keys = {
            "OPENAI_API_KEY": self.endpoint.key,
            "OPENAI_BASE_URL": self.endpoint.base_url,
            "LEADLINE_MODEL": "gpt-4o",
            "LEADLINE_EMBEDDINGS_MODEL": "none",
        }
        return subprocess.Popen(
            [sys.executable, "-m", "leadline", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **keys},
        )

    def begun(self, *more: str) -> subprocess.Popen[str]:
        """Start a run, and wait until the call that is held is made."""
        child = self.start("research", QUESTION, "--docs", str(self.docs), "--max-plans", "1", *more)
        assert self.reached.wait(60), child.communicate(timeout=5)
        return child

    def said(self, *message: str) -> str:
        """Steer the latest run, and return what the command answers."""
        code, err = self.answered(run_under_way(), *message)
        assert code == 0, err
        return err

    def answered(self, *arguments: str) -> tuple[int, str]:
        child = self.start("follow", *arguments)
        _, err = child.communicate(timeout=60)
        return child.returncode, err

    def prompts(self, role: str) -> list[str]:
        """Return what each call of a role was asked."""
        asked = zip(self.endpoint.roles, self.endpoint.requests, strict=True)
        return [str(body["messages"]) for name, body in asked if name == role]


@pytest.fixture
def running(docs: Path) -> Iterator[Running]:
    with openai_server() as endpoint:
        run = Running(endpoint, docs)
        endpoint.on_request = run.on_request
        yield run
        run.release()


def run_under_way() -> str:
    return asyncio.run(aruns())[0].id


def ended(child: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return out, err


def test_another_process_steers_a_run(running: Running) -> None:
    running.hold("planner")
    child = running.begun()
    assert "the planner gets it at the next step" in running.said("also the silver chromate tube")
    running.release()
    _, err = ended(child)
    assert "Taken into account: also the silver chromate tube" in err
    first, second = running.prompts("planner")
    assert "silver chromate" not in first
    assert "<steering>\\nalso the silver chromate tube\\n</steering>" in second
    assert "<undone>" in second
    assert "shown to" not in err
    shown = subprocess.run(
        [sys.executable, "-m", "leadline", "runs", "show", "--calls"], capture_output=True, text=True, check=True
    )
    assert "after plan 1: also the silver chromate tube" in shown.stdout


def test_a_running_step_ends_before_its_next_round(running: Running) -> None:
    running.endpoint.choose = _never_satisfied
    running.hold("researcher")
    child = running.begun()
    assert "step 1 will be skipped" in running.said("--skip", "1")
    running.release()
    out, err = ended(child)
    assert "Step 1 was stopped at your request" in out
    assert "Step 2 was ended" not in out
    assert "Skipped at your request: step 1" in err
    assert len(running.prompts("planner")) == 1
    first = [prompt for prompt in running.prompts("researcher") if '<step title="Who designed' in prompt]
    assert len(first) == 1


def _never_satisfied(body: dict[str, Any]) -> str | None:
    """Answer as a researcher that wants another round."""
    if role_of(body) != "researcher":
        return None
    return json.dumps(
        {**json.loads(think("researcher", body)), "missing_aspects": ["more"], "queries": ["sounding wire drum"]}
    )


@pytest.mark.parametrize("moment", ["before the boundary", "after it"])
def test_a_run_that_is_killed_follows_what_was_said(running: Running, moment: str) -> None:
    running.hold("researcher") if moment == "before the boundary" else running.hold("planner")
    child = running.begun()
    running.said("also the silver chromate tube")
    if moment == "after it":
        running.hold("planner", after=1)
        running.let.set()
        assert running.reached.wait(60)
    child.kill()
    child.communicate()
    running.release()
    _, err = ended(running.start("resume"))
    assert "silver chromate" in running.prompts("planner")[-1]
    assert "Taken into account" in err


def test_a_run_that_is_killed_writes_when_that_was_wanted(running: Running) -> None:
    running.hold("researcher")
    child = running.begun()
    assert "the report is written" in running.said("--write")
    child.kill()
    child.communicate()
    asked = len(running.prompts("researcher"))
    running.release()
    out, _ = ended(running.start("resume"))
    assert "stopped at your request" in out
    assert len(running.prompts("researcher")) == asked
    assert not running.prompts("reflector")


def test_what_cannot_be_followed_is_answered(running: Running) -> None:
    assert running.answered("20000101", "stop") == (
        2,
        "leadline: There is no run '20000101'. `leadline runs` lists all runs.\n",
    )
    with pytest.raises(BadInput, match="No run is running"):
        steer("only the tallow")
    running.hold("reporter")
    child = running.begun()
    code, err = running.answered(run_under_way(), "only the tallow")
    assert (code, "being written" in err) == (2, True)
    code, err = running.answered(run_under_way(), "only the tallow", "--depth", "deep")
    assert (code, "Leave the options out" in err) == (2, True)
    running.release()
    ended(child)


def test_python_steers_a_run_of_another_thread(docs: Path) -> None:
    told: list[str] = []

    def hear(event: object) -> None:
        told.append(str(getattr(event, "title", "")))
        if getattr(event, "type", "") == "plan" and len(told) and not any("Skipped" in title for title in told):
            assert steer(skip=[2]).message.steps == ["2"]

    report = research(QUESTION, docs=[docs], max_plan_iterations=1, on_event=hear)
    assert "Skipped at your request: step 2" in told
    with pytest.raises(BadInput, match="already written"):
        steer(run_id=report.run_id, write=True)
