"""A research through the command line, with what it wrote."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.leadline.conftest import Leadline, leadline

__all__ = ["leadline"]


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended, and the report's folder where it wrote one."""

    code: int
    out: str
    err: str
    folder: Path | None = None

    @property
    def evidence(self) -> dict[str, Any]:
        """`evidence.json` of the report."""
        assert self.folder is not None, self.err
        content: dict[str, Any] = json.loads((self.folder / "evidence.json").read_text("utf-8"))
        return content

    @property
    def report(self) -> str:
        """`report.md`."""
        assert self.folder is not None, self.err
        return (self.folder / "report.md").read_text("utf-8")


Command = Callable[..., Finished]


@pytest.fixture
def command(leadline: Leadline, tmp_path: Path) -> Command:
    """Run `leadline` with arguments; `research` writes below a folder of its own."""

    def run(*arguments: object, out: str = "out") -> Finished:
        folder = tmp_path / out
        ran = leadline(*arguments, *(["--out", folder] if arguments[0] == "research" else []))
        made = sorted(folder.glob("*/evidence.json"))
        return Finished(ran.code, ran.out, ran.err, made[0].parent if made else None)

    return run
