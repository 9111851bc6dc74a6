"""`kill -9` in each phase of a run, as a call comes in or as soon as its answer is kept: no answered call is made again."""

import os
import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

from services.run.journal import Entry
from tests.crash.forms import long_form
from tests.crash.known import stored, unchanged
from tests.fakes import deep_model, two_drafts
from tests.fakes.deep_model import BILGE, ENSIGN
from tests.fakes.forked import Command, settled
from tests.fakes.http import Reply
from tests.fakes.openai_server import OpenAIServer, as_reply, error, role_of, think

pytestmark = [pytest.mark.timeout(900), pytest.mark.usefixtures("asked_once")]
LIFE_SECONDS = 240
PHASES = [
    "Ground tackle, round 1, told of a wrong reference",
    "Ground tackle, round 2",
    "reflector 1",
    "planner 2",
    "Flags and meals, round 2",
    f"section {ENSIGN}",
    f"{BILGE}, round 1",
    f"section {BILGE}, anew",
    "reporter_joining",
    "verifier",
    "reporter_editing",
]
"""In the order of a deep run: a step's rounds, reflection, second plan, sections side by side, rework, join, check, edit."""
DRAFTS = ["first draft", f"researcher, {two_drafts.LACKING}", "second draft"]
"""In the order of a run whose report one call writes: what it lacks is searched before it is written again."""
AMID = {"Ground tackle, round 2": "Below deck, round", f"section {ENSIGN}": "section"}
"""Calls that others stand beside: at least one of these has been answered before the kill."""
When = Literal["asked", "kept"]


@dataclass(slots=True)
class Deaths:
    """Answers a run's calls, and kills it once at each phase."""

    home: Path
    due: list[tuple[str, When]]
    """Phases at which it is still to be killed, the next one first, and when in each."""
    moment_of: Callable[[dict[str, Any]], str]
    think: Callable[[dict[str, Any]], Reply | str | None]
    child: Command | None = None
    dying: bool = False
    under_way: int = 0
    """Calls that came in and are going to be answered."""
    answered: list[str] = field(default_factory=list)
    """Contents of all calls that were answered."""
    moments: list[str] = field(default_factory=list)
    """What each of them was."""
    changed: threading.Condition = field(default_factory=threading.Condition)

    def __call__(self, body: dict[str, Any]) -> Reply:
        """Answer a call, or kill who makes it; nobody is answered who is about to die."""
        moment = self.moment_of(body)
        with self.changed:
            when = self.due[0][1] if self.due and self.due[0][0] == moment and not self.dying else ""
            self.dying |= when == "asked"
            self.under_way += not self.dying
        if when == "asked":
            self._kill(moment)
        elif not self.dying:
            reply = as_reply(body, self.think(body) or think(role_of(body), body))
            if when:
                with self.changed:
                    self.changed.wait_for(lambda: self._amid(moment), 60)
                    self.dying = True
            reply.sent = lambda phase: self._sent(phase, moment, body, bool(when))
            return reply
        assert self.child is not None
        self.child.wait(LIFE_SECONDS)
        return error(503, "The client is gone.", "gone")

    def _sent(self, phase: str, moment: str, body: dict[str, Any], mine: bool) -> None:
        if phase != "answered":
            return
        with self.changed:
            self.under_way -= 1
            self.answered.append(str(body["messages"]))
            self.moments.append(moment)
            self.changed.notify_all()
        if mine:
            threading.Thread(target=self._kill, args=[moment], daemon=True).start()

    def _kill(self, moment: str) -> None:
        """Kill the run as soon as all that was answered stands in its journal."""
        assert self.child is not None
        with self.changed:
            self.changed.wait_for(lambda: self.under_way == 0 and self._amid(moment), 60)
        until = time.monotonic() + 60
        while self._kept() < len(self.answered) and time.monotonic() < until:
            time.sleep(0.01)
        self.child.send_signal(signal.SIGKILL)

    def _amid(self, moment: str) -> bool:
        beside = AMID.get(moment)
        return beside is None or any(one.startswith(beside) and one != moment for one in self.moments)

    def _kept(self) -> int:
        try:
            entries = [Entry.read(one) for one in stored(self.home, "journal").values()]
        except (sqlite3.DatabaseError, OSError):  # copied in the middle of a write, or as its journal went
            return 0
        return sum(entry.kind == "model" and entry.answer is not None for entry in entries)

    def live(self, folder: Path, *arguments: str) -> tuple[int, str, str]:
        """Live until the end or the next kill; return the exit code and what was printed."""
        self.dying = False
        known = stored(self.home, "journal")
        self.child = Command(arguments, cwd=folder, env={**os.environ, "LEADLINE_HOME": str(self.home)})
        try:
            out, err = self.child.communicate(timeout=LIFE_SECONDS)
        finally:
            self.child.kill()
        unchanged(known, stored(self.home, "journal"))
        return self.child.wait(), out, err


@pytest.mark.parametrize("first", ["asked", pytest.param("kept", marks=long_form)])
@pytest.mark.parametrize(
    ("model", "depth", "phases"),
    [(deep_model, "deep", PHASES), (two_drafts, "standard", DRAFTS)],
    ids=["deep", "drafts"],
)
def test_a_run_that_is_killed_in_each_phase_comes_to_its_report_without_repeating_a_call(
    endpoint: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: When,
    model: ModuleType,
    depth: str,
    phases: list[str],
) -> None:
    if phases is DRAFTS:
        monkeypatch.delenv("LEADLINE_ONE_CALL_TOKENS")
    papers = str(model.write_documents(tmp_path / "papers"))

    def arguments(name: str) -> list[str]:
        return ["research", model.QUESTION, "--docs", papers, "--depth", depth, "--out", str(tmp_path / name)]

    whole = Deaths(tmp_path / "whole-home", [], model.moment_of, model.answer)
    endpoint.choose = whole
    code, printed, err = whole.live(tmp_path, *arguments("whole"))
    assert code == 0, err
    turns: list[When] = [first, "kept" if first == "asked" else "asked"]
    due = list(zip(phases, cycle(turns), strict=False))
    if due[-1][1] == "kept":  # after the last call nothing holds the process until it is killed
        due.pop()
    run = Deaths(tmp_path / "killed-home", due, model.moment_of, model.answer)
    endpoint.choose = run
    code, again, err = run.live(tmp_path, *arguments("killed"))
    while run.due:
        assert code == -signal.SIGKILL, f"not killed at {run.due[0]}: {err}"
        assert run.dying
        run.due.pop(0)
        settled()
        code, again, err = run.live(tmp_path, "resume")
    assert code == 0, err
    repeated = [text for text, count in Counter(run.answered).items() if count > 1]
    assert repeated == []
    assert sorted(run.answered) == sorted(whole.answered), "the same calls as of a run that nobody killed"
    assert again == printed
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
    calls = len(endpoint.requests)
    code, replayed, err = run.live(tmp_path, "runs", "replay", "--out", str(tmp_path / "replayed"))
    assert (code, replayed) == (0, again), err
    assert len(endpoint.requests) == calls


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.suffix in {".md", ".txt"}
    }
