"""SIGTERM, a process that sleeps, clocks that jump, and two processes on one run."""

import signal
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from services.run.journal import Entry
from tests.crash.forms import long_form
from tests.crash.killing import Crashing
from tests.crash.known import stored
from tests.crash.strays import no_strays
from tests.crash.whole import Whole, check
from tests.crash.world import OnPhase, Phase
from tests.fakes.forked import Command

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize(
    "label",
    [
        "researcher with tools",
        *(pytest.param(one, marks=long_form) for one in ("planner", "page /machine", "coder", "reporter")),
    ],
)
def test_sigterm_ends_the_run_in_order_and_it_is_gone_on_with(run: Crashing, whole: Whole, label: str) -> None:
    with no_strays():
        child = run.start()

        def end(seen: str, phase: Phase) -> None:
            if (seen, phase) == (label, "half"):
                child.send_signal(signal.SIGTERM)
                child.wait(60)

        run.world.on_phase = end
        _, err = child.communicate(timeout=120)
    run.world.on_phase = None
    run.world.killed()
    assert child.returncode == 130, err
    assert "leadline resume" in err
    assert not list((run.home / "locks").iterdir())
    check(run, whole, run.finish())


@long_form
def test_a_process_that_is_put_to_sleep_goes_on_when_it_wakes(run: Crashing, whole: Whole) -> None:
    """As a laptop's lid does it, but that the system's own clock goes on: limits come closer, connections do not break."""
    with no_strays():
        child = run.start()

        def sleep(label: str, phase: Phase) -> None:
            if phase == "half":
                child.send_signal(signal.SIGSTOP)
                threading.Timer(1.0, child.send_signal, [signal.SIGCONT]).start()

        run.world.on_phase = sleep
        out, err = child.communicate(timeout=240)
    run.world.on_phase = None
    run.world.note_lines()
    assert child.returncode == 0, err
    check(run, whole, out)


def at(label: str, do: Callable[[], object]) -> OnPhase:

    def on_phase(seen: str, _: Phase) -> None:
        if seen == label:
            do()

    return on_phase


def _faketime() -> str:
    for file in (
        *Path("/usr/lib").glob("*/faketime/libfaketime.so.1"),
        Path("/usr/local/lib/faketime/libfaketime.so.1"),
    ):
        if file.exists():
            return str(file)
    pytest.skip("libfaketime is not installed (Debian: apt-get install faketime)")


@long_form
@pytest.mark.parametrize("jump", ["+9h", "-30d", "+400d"])
def test_a_jump_of_the_wall_clock_changes_nothing(run: Crashing, whole: Whole, jump: str, tmp_path: Path) -> None:
    """A laptop that slept, a clock that was set: seconds are counted by the clock that stands still meanwhile."""
    clock = tmp_path / "clock"
    clock.write_text("+0")
    run.environment = {
        "LD_PRELOAD": _faketime(),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
    run.world.on_phase = at("planner", partial(clock.write_text, jump))
    printed = run.finish()
    run.world.on_phase = None
    days = {Entry.read(entry).at[:10] for entry in stored(run.home, "journal").values()}
    assert len(days) > 1 or jump == "+9h", "the clock did not jump"
    check(run, whole, printed)
    clock.write_text("+0")
    replayed = Command(["runs", "replay", run.id()], cwd=run.world.folder, env=run.world.environment(run.home))
    out, err = replayed.communicate()
    assert out == whole.printed, err


@long_form
def test_hours_that_pass_on_the_counting_clock_end_the_research_and_not_the_run(run: Crashing, tmp_path: Path) -> None:
    """A virtual machine that was halted: all its clocks have gone on, so time is up; the report is written and says so."""
    clock = tmp_path / "clock"
    clock.write_text("+0")
    run.environment = {
        "LD_PRELOAD": _faketime(),
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DISABLE_SHM": "1",
    }
    run.world.on_phase = at("researcher", partial(clock.write_text, "+2h"))
    with no_strays():
        child = run.start()
        out, err = child.communicate(timeout=200)
    run.world.on_phase = None
    assert child.returncode in {0, 3}, err
    assert "max_seconds" in out
    assert run.world.asked("reporter") == 1


def resume_too(run: Crashing, *named: str) -> Command:
    process = Command(["resume", *named], cwd=run.world.folder, env=run.world.environment(run.home))
    process.wait(120)
    return process


def test_a_second_process_on_a_run_is_refused(run: Crashing, whole: Whole) -> None:
    refused: list[Command] = []
    with no_strays():
        child = run.start()

        def second(label: str, phase: Phase) -> None:
            if (label, phase) == ("researcher", "asked"):
                refused.extend([resume_too(run), resume_too(run, run.id())])

        run.world.on_phase = second
        out, err = child.communicate(timeout=240)
    run.world.on_phase = None
    run.world.note_lines()
    assert child.returncode == 0, err
    assert [one.returncode for one in refused] == [2, 2]
    assert all("is being worked on already" in one.communicate()[1] for one in refused)
    check(run, whole, out)
