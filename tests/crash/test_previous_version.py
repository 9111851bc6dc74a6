"""A run that the previous version began and did not finish is gone on with by this one."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.previous import DONE, lay_out_papers, unpack
from tests.fakes.openai_server import OpenAIServer


def leadline(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leadline", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


def test_a_run_of_the_previous_version_is_gone_on_with_and_asks_nothing_twice(
    endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_HOME", "home")
    monkeypatch.setenv("LEADLINE_MODEL", "test-model")
    unpack(Path("home"))
    lay_out_papers(Path("papers"))
    listed = leadline("runs")
    assert "running      Who designed the wire sounding machine" in listed.stdout
    resumed = leadline("resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "William Thomson" in resumed.stdout
    assert "Tallow was pressed" in resumed.stdout
    assert not set(endpoint.roles) & set(DONE)
    [folder] = Path("out").iterdir()
    assert leadline("verify", str(folder)).returncode == 0
