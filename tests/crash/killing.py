"""A run of the command line that is killed again and again, and gone on with until it comes to its report."""

import json
import re
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from leadline.output import slug_of
from services.evidence.verification import seal
from tests.crash.known import repeated, stored, unchanged
from tests.crash.moments import Moment, Moments
from tests.crash.strays import no_strays
from tests.crash.watching import Happening, watching
from tests.crash.world import QUESTION, Phase, World

MOST_LIVES = 400
LIFE_SECONDS = 240
_DATABASES = {"checkpoints.sqlite-wal": "checkpoint", "store.sqlite-wal": "store"}
_LEAVE_LINES = {"tool-calls": "tool", "code-runs": "code"}
_WRITING = re.compile(r"^\.writing-[0-9a-f]+-")


@dataclass(slots=True)
class Crashing:
    """A run, and where it lives."""

    world: World
    home: Path
    out: Path
    formats: str = "md"
    child: subprocess.Popen[str] | None = None
    """The process that does the run, or did it."""
    kills: list[Moment] = field(default_factory=list)
    """At which moments it was killed."""
    repeats: int = 0
    """Calls that were made again in earlier runs, as they were under way when those were killed."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables beside those of the world."""
    more: list[str] = field(default_factory=list)
    """Arguments of `leadline resume`."""
    expected: dict[str, bytes] = field(default_factory=dict)
    """Files of the report of an uninterrupted run, by name below its folder."""

    @property
    def folder(self) -> Path:
        """The folder of its report."""
        return self.out / slug_of(QUESTION)

    def command(self) -> list[str]:
        """Return the command that begins the run, or goes on with it."""
        start = [sys.executable, "-u", "-m", "leadline"]
        if self.begun():
            return [*start, "resume", *self.more]
        docs = self.world.folder / "papers"
        chosen = ["--docs", docs, "--out", self.out, "--max-plans", "1", "--format", self.formats]
        return [*start, "research", QUESTION, *map(str, chosen)]

    def begun(self) -> bool:
        """Tell whether there is anything to go on with."""
        return bool(stored(self.home, "runs"))

    def another(self) -> None:
        """Begin another run, of which nothing is known yet."""
        self.repeats += sum(repeated(self.world).values())
        self.world.begin()
        self.home, self.out = (one.with_name(f"{one.name}+") for one in (self.home, self.out))

    def id(self) -> str:
        """Return the run's name."""
        [(_, name)] = stored(self.home, "runs")
        return name

    def start(self) -> subprocess.Popen[str]:
        """Start the process."""
        self.child = subprocess.Popen(
            self.command(),
            cwd=self.world.folder,
            env={**self.world.environment(self.home), **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return self.child

    def finish(self) -> str:
        """Go on to the end without killing, and return what was printed."""
        with no_strays():
            child = self.start()
            out, err = child.communicate(timeout=LIFE_SECONDS)
        self.world.note_lines()
        assert child.returncode == 0, err
        return out

    def live(self, moments: Moments) -> str | None:
        """Start or go on, be killed at the first of the moments, and return what a run that ended printed."""
        with no_strays(), ExitStack() as stack:
            for folder in (self.home, self.out):
                folder.mkdir(parents=True, exist_ok=True)
            known = stored(self.home, "journal")
            seen = len(self.world.seen)
            child = self.start()
            killer = _Killer(child, moments, self.kills)
            self.world.on_phase = killer.phase
            stack.enter_context(watching([self.world.folder, *_folders(self.home, self.out)], killer.file))
            stack.callback(killer.timer(moments.seconds()).cancel)
            out, err = child.communicate(timeout=LIFE_SECONDS)
            killer.over = True
            self.world.on_phase = None
        unchanged(known, stored(self.home, "journal"))
        self._every_file_is_whole()
        if child.returncode == -signal.SIGKILL:
            self.world.killed()
            return None
        self.world.note_lines()
        assert child.returncode == 0, f"{err}\nafter {self.kills}, and calls {self.world.seen[seen:]}"
        return out

    def _every_file_is_whole(self) -> None:
        """Check what a kill has left: a file is there whole or not at all, or bears a name that says that it is being written."""
        for name, whole in self.expected.items():
            file = self.folder / name
            if not file.exists():
                continue
            data = file.read_bytes()
            if name == "evidence.json":
                content = json.loads(data)
                assert content["evidence_sha256"] == seal(content)
            elif name.endswith((".md", ".txt")):
                assert data == whole, f"{name} is not whole"
            else:  # holds the time at which it was made
                assert data[-8:] == whole[-8:], f"{name} is not whole"

    def until_the_report(self, moments: Moments) -> str:
        """Live and be killed until no moment is left or the report is there; return what was printed in the end."""
        for _ in range(MOST_LIVES):
            printed = self.live(moments)
            if printed is not None:
                return printed
        msg = f"no report after {MOST_LIVES} lives"
        raise AssertionError(msg)


class _Killer:
    """Kills a process at the first of some moments; far ends, files and a timer report to it from their threads."""

    def __init__(self, child: "subprocess.Popen[str]", moments: Moments, kills: list[Moment]) -> None:
        self.over = False
        self._child = child
        self._moments = moments
        self._kills = kills
        self._writes = 0
        self._after = moments.writes()
        self._lock = threading.Lock()

    def phase(self, label: str, phase: Phase) -> None:
        self._named((label, phase))

    def file(self, name: str, what: Happening) -> None:
        if name in _LEAVE_LINES:
            self._named((_LEAVE_LINES[name], "asked"))
            return
        database = _DATABASES.get(name)
        if database is None:
            self._named((_WRITING.sub("", name), what))
            return
        self._writes += 1
        if self._writes == self._after:
            self._kill((database, f"write {self._writes}"), by_lot=True)

    def timer(self, seconds: float | None) -> threading.Timer:
        timer = threading.Timer(seconds or 0.0, self._kill, [("time", f"{seconds}")], {"by_lot": True})
        if seconds is not None:
            timer.start()
        return timer

    def _named(self, moment: Moment) -> None:
        if moment in self._moments.named:
            self._kill(moment, by_lot=False)

    def _kill(self, moment: Moment, *, by_lot: bool) -> None:
        with self._lock:
            if self.over:
                return
            self.over = True
            self._child.send_signal(signal.SIGKILL)
            self._child.wait(30)
            if self._child.returncode != -signal.SIGKILL:  # it had ended by itself
                return
            self._kills.append(moment)
            self._moments.named.discard(moment)
            self._moments.lots -= by_lot


def _folders(home: Path, out: Path) -> list[Path]:
    return [home, out, *(one for one in out.rglob("*") if one.is_dir())]
