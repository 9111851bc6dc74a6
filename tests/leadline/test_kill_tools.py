"""`kill -9` in a step with tools: what a tool did is not done again, and what it returned is cited all the same."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schemas.planner import Plan, Step
from tests.conftest import PROJECT
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, completion

QUESTION = "How many casts did the pump count, and who designed the wire sounding machine?"
COUNTING = completion({"model": "m", "messages": []}, "", calls=[("pump__count", "{}")])
FOUND = {
    "excerpts": [{"quote": "The pump counted 1 casts", "relevance": "high"}],
    "finding": "The pump counted 1 casts.",
}


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configure a server with a tool that leaves a line in a file for each call, and return that file."""
    file = tmp_path / "counted"
    server = {
        "command": sys.executable,
        "args": ["-P", str(PROJECT / "tests" / "fakes" / "mcp_server.py"), "pump"],
        "env": {"COUNTED": str(file)},
    }
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"pump": server}}))
    monkeypatch.setenv("LEADLINE_MCP", str(tmp_path / "mcp.json"))
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    return file


def script(*answers: Reply | str) -> dict[str, Any]:
    step = Step(id="1", title="Count", description="Count the casts.", need_web_search=False, tools=["pump"])
    return {"planner": [Plan(title="Casts", steps=[step]).model_dump_json()], "researcher": list(answers)}


@pytest.mark.parametrize("after", [1, 2], ids=["before the call of the tool", "after the call of the tool"])
def test_a_tool_is_called_once_whenever_the_run_is_killed(
    endpoint: OpenAIServer, docs: Path, counted: Path, after: int
) -> None:
    command = [sys.executable, "-u", "-m", "leadline.cli"]
    found = json.dumps(FOUND)
    endpoint.script = script(COUNTING, *([COUNTING, found] if after == 1 else [found, found]))
    child = subprocess.Popen(
        [*command, "research", QUESTION, "--docs", str(docs), "--max-plans", "1", "--out", "out"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ},
    )

    def kill(number: int) -> None:
        if endpoint.roles[:number].count("researcher") == after:
            child.send_signal(signal.SIGKILL)
            child.wait(30)

    endpoint.on_request = kill
    child.communicate(timeout=90)
    assert child.returncode == -signal.SIGKILL
    endpoint.on_request = None
    done = subprocess.run([*command, "resume"], capture_output=True, text=True, check=False, timeout=90)
    assert done.returncode == 0, done.stderr
    assert counted.read_text() == "cast\n"
    assert "The pump counted 1 casts" in done.stdout
