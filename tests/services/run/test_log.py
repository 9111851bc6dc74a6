"""Structured logs: an event a line, with the run in each, and never a secret or a text."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from leadline import aresearch
from services.run.log import WARNING, about, forget_log, log
from tests.conftest import SetEnvironment
from tests.fakes.openai_server import OpenAIServer, error
from tests.leadline.conftest import Leadline, leadline

__all__ = ["leadline"]

QUESTION = "Where was the designer of the wire sounding machine born, asks QUESTIONMARKER?"
MARKERS = (
    "QUESTIONMARKER",
    "PAGEMARKER",
    "PROMPTMARKER",
    "ANSWERMARKER",
    "sk-secret-marker",
    "TITLEMARKER",
    "FILEMARKER",
)


@pytest.fixture(params=["debug", "warning"])
def lines(request: pytest.FixtureRequest, environment: SetEnvironment, capsys: pytest.CaptureFixture[str]) -> "Lines":
    return Lines(str(request.param), environment, capsys)


class Lines:
    """Turns the log on, and reads it."""

    def __init__(self, level: str, environment: SetEnvironment, capsys: pytest.CaptureFixture[str]) -> None:
        environment(LEADLINE_LOG="json", LEADLINE_LOG_LEVEL=level)
        forget_log()
        self.level = level
        self._capsys = capsys

    def read(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self._capsys.readouterr().err.splitlines()]


def marked(docs: Path, endpoint: OpenAIServer, environment: SetEnvironment) -> None:
    """Put a marker into everything that a run reads, asks and keeps secret."""
    (docs / "FILEMARKER.md").write_text(
        "# TITLEMARKER of Belfast\n\nPAGEMARKER: William Thomson, who designed the wire sounding machine, was born in Belfast.\n"
    )
    endpoint.key = "sk-secret-marker"
    environment(OPENAI_API_KEY=endpoint.key)
    endpoint.script = {
        "coordinator": [error(429, "ANSWERMARKER PROMPTMARKER", "rate", retry_after="0.01"), "ANSWERMARKER"]
    }


async def test_no_secret_and_no_text_is_logged_at_any_level(
    lines: Lines, docs: Path, endpoint: OpenAIServer, environment: SetEnvironment
) -> None:
    marked(docs, endpoint, environment)
    report = await aresearch(QUESTION, docs=[docs], run_id="the-run")
    assert report.excerpts
    assert any("PAGEMARKER" in str(body) for body in endpoint.requests), "the run has read it"
    logged = lines.read()
    text = json.dumps(logged)
    assert not [marker for marker in MARKERS if marker in text]
    assert {line["run"] for line in logged} == {"the-run"}
    levels = {line["level"] for line in logged}
    assert (
        levels
        == {"debug": {"debug", "info", "warning"}, "info": {"info", "warning"}, "warning": {"warning"}}[lines.level]
    )


async def test_what_matters_is_a_line_each(
    docs: Path, endpoint: OpenAIServer, environment: SetEnvironment, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines("info", environment, capsys)
    marked(docs, endpoint, environment)
    report = await aresearch(QUESTION, docs=[docs], run_id="the-run", max_step_num=2)
    logged = lines.read()
    calls = [line for line in logged if line["event"] == "model"]
    assert sum(int(str(line["tokens_in"])) for line in calls) == report.usage.total.input_tokens
    [retry] = [line for line in logged if line["event"] == "model_retry"]
    assert (retry["fault"], retry["attempt"], retry["node"]) == ("busy: HTTP 429", 1, "coordinator")
    assert calls[0]["retries"] == ["busy: HTTP 429"]
    steps = {str(line["step"]) for line in logged if line.get("node") == "researcher"}
    assert steps == {step.id for plan in report.plans for step in plan.steps}
    [ended] = [line for line in logged if line["event"] == "run_finished"]
    assert ended["calls"] == report.usage.total.calls
    assert [line["event"] for line in logged if str(line["event"]).startswith("run_")] == [
        "run_started",
        "run_finished",
    ]


async def test_tasks_side_by_side_keep_their_own_run(
    environment: SetEnvironment, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Lines("info", environment, capsys)

    async def log_parts(name: str) -> None:
        with about(run=name):
            await asyncio.sleep(0)
            await asyncio.gather(*(asyncio.to_thread(log, "inside", part=part) for part in range(3)))

    await asyncio.gather(*(log_parts(name) for name in "abc"))
    log("outside", WARNING)
    logged = lines.read()
    assert sorted((str(item["run"]), item["part"]) for item in logged[:-1]) == [(n, p) for n in "abc" for p in range(3)]
    assert "run" not in logged[-1]


def test_by_default_the_lines_are_the_hosts(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    forget_log()
    with caplog.at_level(logging.INFO):
        log("something", number=1, words=["a", "b c"])
    assert caplog.messages == ['something number=1 words="a,b c"']
    assert not capsys.readouterr().err


def test_the_command_itself_logs_nothing_unless_it_is_told_to(docs: Path, leadline: Leadline) -> None:
    assert "run_started" not in leadline("research", QUESTION, "--docs", docs, "--quick").err
