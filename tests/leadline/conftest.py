"""Running the command line in this process, as its entry point does."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from leadline.cli import app


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


Leadline = Callable[..., Ran]


@pytest.fixture
def leadline(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Leadline:
    """Run `leadline` with arguments."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["leadline", *map(str, arguments)])
        try:
            app.main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run
