"""Running the command line in this process, as its entry point does; programs in a Python of their own; and small sources."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from leadline.cli import app
from services.run.settings import forget_settings
from tests.fakes.read_folder import read_before


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


Leadline = Callable[..., Ran]


@pytest.fixture
def leadline(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Leadline:
    """Run `leadline` with arguments; it shows no traceback, and is held to an exit code if one is named."""

    def run(*arguments: object, code: int | None = None) -> Ran:
        monkeypatch.setattr(sys, "argv", ["leadline", *map(str, arguments)])
        try:
            app.main()
            ended = 0
        except SystemExit as ending:
            ended = int(ending.code or 0)
        captured = capsys.readouterr()
        assert code in {None, ended}, captured.err
        assert "Traceback" not in captured.err
        return Ran(ended, captured.out, captured.err)

    return run


def python(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a Python of its own with arguments and more environment variables."""
    command, environment = [sys.executable, *map(str, arguments)], {**os.environ, **variables}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=100)


def document(name: str, text: str) -> Path:
    """Write a document into a folder that has been read before, and return the folder."""
    Path("papers").mkdir()
    (Path("papers") / name).write_text(text)
    return read_before(Path("papers"))


def without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away the model that was connected."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    forget_settings()
