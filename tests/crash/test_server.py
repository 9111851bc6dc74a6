"""`kill -9` and SIGTERM of the dev server: up again, it goes on with the run by itself, asks nothing twice, reports the same."""

import asyncio
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.crash.forms import A_TEST, KILLS, long_form
from tests.crash.killer import Killer
from tests.crash.known import completed, stored, unchanged
from tests.crash.moments import Moment, Moments, phases
from tests.crash.strays import no_strays
from tests.crash.under_way import Tally
from tests.crash.watching import Happening, watching
from tests.crash.whole import left_over, nothing_completed_is_repeated
from tests.crash.world import QUESTION, Phase, World
from tests.server.conftest import dev_server

GRAPH = "deep_research"
CONTEXT = {"max_plan_iterations": 1}
MOST_LIVES = 60
FLUSHED_SECONDS = 60
LONGEST = 6.0
"""Seconds after its start within which a server that ends at any time does so."""


@dataclass(slots=True)
class Served:
    """A run on a server that is ended again and again, in one way."""

    world: World
    place: Path
    how: signal.Signals = signal.SIGKILL
    moments: Moments = field(default_factory=Moments)
    """When the server is ended."""
    kills: list[Moment] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    thread: str = ""
    run: str = ""

    @property
    def home(self) -> Path:
        return self.place / "home"

    async def until_the_report(self) -> tuple[str, str]:
        """Return the report that the run comes to, and that of a second run that nobody interrupts."""
        for _ in range(MOST_LIVES):
            known, done = stored(self.home, "journal"), completed(self.home)
            life = self.world.life
            reports = await self._life()
            if reports is not None:
                return reports
            unchanged(known, stored(self.home, "journal"))
            assert self.world.life == life + 1
            self.tally.life(self.world, life, done)
        msg = f"no report after {MOST_LIVES} lives"
        raise AssertionError(msg)

    async def _life(self) -> tuple[str, str] | None:
        named = ("OPENAI_", "TAVILY_", "LEADLINE_", "TMPDIR")
        chosen = {
            name: value
            for name, value in self.world.environment(self.home).items()
            if name.startswith(named) and name != "LEADLINE_HOME"
        }
        chosen |= {"LEADLINE_DOCS": str(self.world.folder / "papers"), "BG_JOB_MAX_RETRIES": "100"}
        self.home.mkdir(exist_ok=True)
        done = completed(self.home)
        with no_strays(), ExitStack() as stack:
            address, process = stack.enter_context(dev_server(self.place, **chosen))
            killer = Killer(process, self.moments, self.how)
            self.world.on_phase = partial(self._phase, killer)
            stack.enter_context(
                watching([self.world.folder, self.world.temporary, self.home], partial(self._file, killer))
            )
            async with get_client(url=address) as client:
                if not self.thread:
                    await self._begin(client)
                else:
                    stack.callback(killer.timer().cancel)
                status = "pending"
                while process.poll() is None and status in {"pending", "running"}:
                    await asyncio.sleep(0.1)
                    status = await self._status(client)
                killed_at = killer.killed_at()
                if killed_at is not None:
                    await asyncio.to_thread(process.wait, 60)
                    self.world.on_phase = None
                    self.world.note_lines()
                    self.kills.append(killed_at)
                    self.tally.kill(self.world, self.home, self.place, killed_at)
                    self.world.killed()
                    return None
                self.world.on_phase = None
                self.world.note_lines()
                assert status == "success", (self.place / "log").read_text()[-3000:]
                self.tally.life(self.world, self.world.life, done)
                return await self._reports(client)

    def _phase(self, killer: Killer, label: str, phase: Phase) -> None:
        """End the server at the first of the moments, once it knows what it has to go on with."""
        if self.how == signal.SIGKILL:
            self._wait_until_written_down()
        killer.phase(label, phase)

    def _file(self, killer: Killer, name: str, what: Happening) -> None:
        if self.how != signal.SIGKILL or self._is_written_down():
            killer.file(name, what)

    def another(self) -> None:
        """Begin another run, on a server of which nothing is known yet."""
        self.world.begin()
        self.thread = self.run = ""
        self.place = self.place / "another"
        self.place.mkdir()

    async def _begin(self, client: LangGraphClient) -> None:
        self.thread = str((await client.threads.create())["thread_id"])
        made: Any = await client.runs.create(self.thread, GRAPH, input={"question": QUESTION}, context=CONTEXT)
        self.run = made["run_id"]

    async def _status(self, client: LangGraphClient) -> str:
        try:
            return str((await client.runs.get(self.thread, self.run))["status"])
        except httpx.TransportError:  # the server has just been ended
            return "running"

    async def _reports(self, client: LangGraphClient) -> tuple[str, str]:
        """Check what the run asked, and return its report and that of a second run."""
        nothing_completed_is_repeated(self.world)
        self.tally.run(self.world)
        self.world.begin()
        state: Any = await client.threads.get_state(self.thread)
        second: Any = await client.runs.wait(None, GRAPH, input={"question": QUESTION}, context=CONTEXT)
        return state["values"]["report"]["markdown"], second["report"]["markdown"]

    def _is_written_down(self) -> bool:
        """Tell whether the server has written down that there is this run, which it does every ten seconds."""
        file = self.place / ".langgraph_api" / ".langgraph_ops.pckl"
        return bool(self.run) and file.exists() and self.run.replace("-", "") in _identifiers(file.read_bytes())

    def _wait_until_written_down(self) -> None:
        until = time.monotonic() + FLUSHED_SECONDS
        while not self._is_written_down() and time.monotonic() < until:
            time.sleep(0.1)


def _identifiers(pickled: bytes) -> str:
    """Return the numbers in a pickle as hexadecimal text, in which a UUID can be found."""
    return pickled[::-1].hex() + pickled.hex()


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path, far_ends: World) -> Iterator[Served]:
    far_ends.begin()
    made = Served(far_ends, tmp_path)
    yield made
    far_ends.on_phase = None
    request.node.user_properties.append(("crash", made.tally.plain()))


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=long_form)], ids=["kill -9", "SIGTERM"]
)
async def test_a_server_that_is_ended_goes_on_with_its_run(served: Served, how: signal.Signals) -> None:
    moments: set[Moment] = {("researcher", "half")}
    if KILLS:
        moments.add(("reporter", "half"))
    served.how, served.moments = how, Moments(set(moments))
    report, second = await served.until_the_report()
    assert report == second
    check_what_is_left(served)
    assert len(served.kills) == len(moments)


@long_form
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("phase", ["asked", "half", "answered"])
async def test_a_server_killed_at_each_call_goes_on_with_its_run(served: Served, phase: Phase) -> None:
    served.moments = Moments(phases(phase))
    report, second = await served.until_the_report()
    assert report == second
    assert not served.moments.named
    check_what_is_left(served)


@long_form
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("seed", range(-(-KILLS // (4 * A_TEST))))
async def test_a_server_killed_at_random_moments_goes_on_with_its_run(served: Served, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - for repeating a failure
    served.moments = Moments(lots=A_TEST, longest=LONGEST, chance=chance)
    while served.moments.lots:
        report, second = await served.until_the_report()
        assert report == second
        check_what_is_left(served)
        if served.moments.lots:
            served.another()


def check_what_is_left(served: Served) -> None:
    """Check that no lock, no unfinished file and no broken database is left when the server has ended."""
    locks = served.home / "locks"
    assert not locks.exists() or not list(locks.iterdir())
    assert left_over(served.world.temporary) == []
    assert not list(served.place.rglob(".writing-*"))
    for name in ("store.sqlite", "checkpoints.sqlite"):
        with closing(sqlite3.connect(served.home / name)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
