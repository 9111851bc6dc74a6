"""A run of the command line that is killed again and again, and gone on with until it comes to its report."""

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from leadline.runs.output import slug_of
from services.reports.bundle_files import seal
from tests.crash.killer import Killer
from tests.crash.known import completed, stored, unchanged
from tests.crash.moments import Moment, Moments
from tests.crash.strays import no_strays
from tests.crash.under_way import Tally
from tests.crash.watching import watching
from tests.crash.world import QUESTION, World
from tests.fakes.forked import Child, Command, settled

MOST_LIVES = 400
LIFE_SECONDS = 240


@dataclass(slots=True)
class Crashing:
    """A run, and where it lives."""

    world: World
    home: Path
    out: Path
    formats: str = "md"
    child: Child | None = None
    """The process that does the run, or did it."""
    kills: list[Moment] = field(default_factory=list)
    """At which moments it was killed."""
    said: list[str] = field(default_factory=list)
    """What each life said on stderr."""
    tally: Tally = field(default_factory=Tally)
    environment: dict[str, str] = field(default_factory=dict)
    """Variables beside those of the world."""
    more: list[str] = field(default_factory=list)
    """Arguments of `leadline resume`."""
    expected: dict[str, bytes] = field(default_factory=dict)
    """Files of the report of an uninterrupted run, by name below its folder."""

    @property
    def folder(self) -> Path:
        return self.out / slug_of(QUESTION)

    def arguments(self) -> list[str]:
        """Return the arguments of the command that begins the run, or goes on with it."""
        if self.begun():
            [record] = stored(self.home, "runs").values()
            ended = (
                record["status"] == "done"
            )  # killed after the run's end was written down, before its report was printed
            return ["runs", "replay"] if ended else ["resume", *self.more]
        docs = self.world.folder / "papers"
        chosen = ["--docs", docs, "--out", self.out, "--max-plans", "1", "--format", self.formats]
        return ["research", QUESTION, *map(str, chosen)]

    def begun(self) -> bool:
        return bool(stored(self.home, "runs"))

    def another(self) -> None:
        """Begin another run, of which nothing is known yet."""
        self.tally.run(self.world)
        self.world.begin()
        self.home, self.out = (one.with_name(f"{one.name}+") for one in (self.home, self.out))

    def id(self) -> str:
        [(_, name)] = stored(self.home, "runs")
        return name

    def start(self) -> Child:
        """Start the process: a Python of its own, if variables are set that a Python reads at its start."""
        environment = {**self.world.environment(self.home), **self.environment}
        if self.environment:
            self.child = subprocess.Popen(
                [sys.executable, "-u", "-m", "leadline", *self.arguments()],
                cwd=self.world.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        else:
            self.child = Command(self.arguments(), cwd=self.world.folder, env=environment)
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
            known, done = stored(self.home, "journal"), completed(self.home)
            seen = len(self.world.seen)
            child = self.start()
            killer = Killer(child, moments)
            self.world.on_phase = killer.phase
            places = [self.world.folder, self.world.temporary, *_folders(self.home, self.out)]
            stack.enter_context(watching(places, killer.file))
            stack.callback(killer.timer().cancel)
            out, err = child.communicate(timeout=LIFE_SECONDS)
            killed_at = killer.killed_at()
            settled()
            self.world.on_phase = None
        self.world.note_lines()
        unchanged(known, stored(self.home, "journal"))
        self.said.append(err)
        try:
            self.tally.life(self.world, self.world.life, done)
        except AssertionError as wrong:
            wrong.add_note("\n".join(f"--- life {number} said:\n{text}" for number, text in enumerate(self.said, 1)))
            raise
        self._every_file_is_whole()
        if killed_at is not None:
            self.kills.append(killed_at)
            self.tally.kill(self.world, self.home, self.out, killed_at)
            self.world.killed()
            return None
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


def _folders(home: Path, out: Path) -> list[Path]:
    return [home, out, *(one for one in out.rglob("*") if one.is_dir())]
