"""`kill -9` and SIGTERM of the dev server: up again, it goes on with the run by itself, asks nothing twice, reports the same."""

import asyncio
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.crash.forms import long_form
from tests.crash.known import repeated, stored, unchanged
from tests.crash.moments import Moment, phases
from tests.crash.strays import no_strays
from tests.crash.whole import nothing_completed_is_repeated
from tests.crash.world import QUESTION, Phase, World
from tests.server.conftest import dev_server

GRAPH = "deep_research"
CONTEXT = {"max_plan_iterations": 1}
MOST_LIVES = 60
FLUSHED_SECONDS = 60


@dataclass(slots=True)
class Served:
    """A run on a server that is ended again and again, in one way."""

    world: World
    place: Path
    how: signal.Signals = signal.SIGKILL
    named: set[Moment] = field(default_factory=set)
    """Moments at which the server is ended, each once."""
    kills: list[Moment] = field(default_factory=list)
    under_way: int = 0
    """Calls that were made again, as they were under way."""
    thread: str = ""
    run: str = ""

    async def until_the_report(self) -> tuple[str, str]:
        """Return the report that the run comes to, and that of a second run that nobody interrupts."""
        for _ in range(MOST_LIVES):
            known = stored(self.place / "home", "journal")
            reports = await self._life()
            unchanged(known, stored(self.place / "home", "journal"))
            if reports is not None:
                return reports
        msg = f"no report after {MOST_LIVES} lives"
        raise AssertionError(msg)

    async def _life(self) -> tuple[str, str] | None:
        named = ("OPENAI_", "TAVILY_", "LEADLINE_")
        chosen = {
            name: value
            for name, value in self.world.environment(self.place / "home").items()
            if name.startswith(named) and name != "LEADLINE_HOME"
        }
        chosen |= {"LEADLINE_DOCS": str(self.world.folder / "papers"), "BG_JOB_MAX_RETRIES": "100"}
        with no_strays(), dev_server(self.place, **chosen) as (address, process):
            before = len(self.kills)
            self.world.on_phase = partial(self._end, process)
            async with get_client(url=address) as client:
                if not self.thread:
                    await self._begin(client)
                status = "pending"
                while process.poll() is None and status in {"pending", "running"}:
                    await asyncio.sleep(0.1)
                    status = await self._status(client)
                if len(self.kills) > before:
                    await asyncio.to_thread(process.wait, 60)
                    self.world.on_phase = None
                    self.world.killed()
                    return None
                self.world.on_phase = None
                self.world.note_lines()
                assert status == "success", (self.place / "log").read_text()[-3000:]
                return await self._reports(client)

    def _end(self, process: "subprocess.Popen[bytes]", label: str, phase: Phase) -> None:
        """End the server at the first of the moments, once it knows what it has to go on with."""
        if self.how == signal.SIGKILL:
            self._wait_until_written_down()
        if (label, phase) in self.named and process.poll() is None:
            self.named.discard((label, phase))
            self.kills.append((label, phase))
            process.send_signal(self.how)
            if self.how == signal.SIGKILL:
                process.wait(30)

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
        self.under_way = sum(repeated(self.world).values())
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
    request.node.user_properties.append(("crash", {"kills": len(made.kills), "under way, made again": made.under_way}))


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=long_form)], ids=["kill -9", "SIGTERM"]
)
async def test_a_server_that_is_ended_goes_on_with_its_run(served: Served, how: signal.Signals) -> None:
    served.how, served.named = how, {("researcher", "half"), ("reporter", "half")}
    report, second = await served.until_the_report()
    assert report == second
    assert len(served.kills) == 2


@long_form
@pytest.mark.timeout(3_000)
@pytest.mark.parametrize("phase", ["asked", "half", "answered"])
async def test_a_server_killed_at_each_call_goes_on_with_its_run(served: Served, phase: Phase) -> None:
    served.named = phases(phase)
    report, second = await served.until_the_report()
    assert report == second
    assert not served.named
