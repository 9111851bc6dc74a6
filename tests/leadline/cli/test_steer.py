"""`leadline follow RUN`: another process says something to a run under way, and the run follows it."""

import asyncio
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline import research, steer
from leadline.runs.actions import aruns
from services.run.errors import BadInput
from services.run.settings import forget_settings
from tests.fakes.forked import Command
from tests.fakes.held_model import HeldModel
from tests.fakes.openai_server import OpenAIServer
from tests.leadline.conftest import Leadline

QUESTION = "Who designed the wire sounding machine, and why was tallow pressed into the lead?"


@dataclass(slots=True)
class Running:
    """The command, with a model on loopback whose answers can be held back."""

    model: HeldModel
    leadline: Leadline

    def begun(self, *arguments: str) -> Command:
        """Start a run in a process of its own, and wait until the call that is held is made."""
        child = Command(["research", *arguments])
        assert self.model.reached.wait(60), child.communicate(timeout=5)
        return child

    def said(self, *message: str) -> str:
        """Steer the latest run, and return what the command answers."""
        ran = self.leadline("follow", run_under_way(), *message)
        assert ran.code == 0, ran.err
        return ran.err

    def prompts(self, role: str) -> list[str]:
        """Return what each call of a role was asked."""
        asked = zip(self.model.endpoint.roles, self.model.endpoint.requests, strict=True)
        return [str(body["messages"]) for name, body in asked if name == role]


@pytest.fixture
def running(endpoint: OpenAIServer, leadline: Leadline, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("LEADLINE_MODEL", "gpt-4o")
    forget_settings()
    held = HeldModel(endpoint)
    yield Running(held, leadline)
    held.release()


@pytest.fixture
def asked(docs: Path) -> list[str]:
    """Return what a run is asked."""
    return [QUESTION, "--docs", str(docs), "--max-plans", "1"]


def run_under_way() -> str:
    return asyncio.run(aruns())[0].id


def ended(child: Command) -> tuple[str, str]:
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return out, err


def test_another_process_steers_a_run(running: Running, asked: list[str]) -> None:
    running.model.hold_role("planner")
    child = running.begun(*asked)
    assert "the planner gets it at the next step" in running.said("also the silver chromate tube")
    running.model.release()
    _, err = ended(child)
    assert "Taken into account: also the silver chromate tube" in err
    first, second = running.prompts("planner")
    assert "silver chromate" not in first
    assert "<steering>\\nalso the silver chromate tube\\n</steering>" in second
    assert "<undone>" in second
    assert "shown to" not in err


def test_what_cannot_be_followed_is_answered(running: Running, asked: list[str]) -> None:
    unknown = running.leadline("follow", "20000101", "stop")
    assert (unknown.code, "There is no run '20000101'" in unknown.err) == (2, True)
    with pytest.raises(
        BadInput, match=r'No run is running\. To ask a follow-up: leadline\.research\("…", after="latest"\)$'
    ):
        steer("only the tallow")
    running.model.hold_role("reporter")
    child = running.begun(*asked)
    late = running.leadline("follow", run_under_way(), "only the tallow")
    assert (late.code, "being written" in late.err) == (2, True)
    late = running.leadline("follow", run_under_way(), "only the tallow", "--depth", "deep")
    assert (late.code, "Leave the options out" in late.err) == (2, True)
    running.model.release()
    ended(child)


def test_a_message_that_is_two_things_is_refused_and_loses_neither(running: Running, asked: list[str]) -> None:
    running.model.hold_role("planner")
    child = running.begun(*asked)
    for both in (["only the tallow", "--skip", "1"], ["only the tallow", "--write"], ["--skip", "1", "--write"]):
        assert "A message is one thing" in running.leadline("follow", run_under_way(), *both, code=2).err
    running.model.release()
    ended(child)


def test_a_run_under_way_is_not_said_to_wait_for_resume(running: Running, asked: list[str]) -> None:
    running.model.hold_role("planner")
    child = running.begun(*asked)
    run = run_under_way()
    for command in (["runs", "export", run], ["runs", "replay", run], ["follow", run, "--depth", "deep", "and then?"]):
        assert "leadline resume" not in running.leadline(*command, code=2).err
    assert f"to send it a message: leadline follow {run}" in running.leadline("runs", "show", run).out
    running.model.release()
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


def test_a_run_whose_process_was_killed_is_interrupted(running: Running, asked: list[str]) -> None:
    running.model.hold_role("planner")
    child = running.begun(*asked)
    assert "  running " in running.leadline("runs").out
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=60)
    assert "  interrupted " in running.leadline("runs").out
    assert "continue it: leadline resume" in running.said("only the tallow")
