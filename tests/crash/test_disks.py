"""A disk that is full or read-only: one message that says what to do, nothing lost, and the run is gone on with."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.disk import Disk, small_disk
from tests.crash.forms import long_form
from tests.crash.killing import Crashing
from tests.crash.strays import no_strays
from tests.crash.whole import Whole, check, files_of
from tests.crash.world import Phase

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with small_disk(tmp_path / "disk") as mounted:
        yield mounted


def placed(run: Crashing, disk: Disk, what: str) -> Crashing:
    setattr(run, what, disk.folder / what)
    return run


def fails(run: Crashing, *, code: int = 1) -> str:
    with no_strays():
        child = run.start()
        _, err = child.communicate(timeout=120)
    run.world.on_phase = None
    run.world.killed()
    assert child.returncode == code, err
    assert "Traceback" not in err
    [message] = [line for line in err.splitlines() if line.startswith("leadline: ")]
    return message


def once_at(run: Crashing, label: str, wanted: Phase, do: object) -> None:
    """Do something when a far end sees a moment for the first time."""
    left = [do]

    def on_phase(seen: str, phase: Phase) -> None:
        if (seen, phase) == (label, wanted) and left:
            left.pop()()  # type: ignore[operator]  # whatever takes no arguments

    run.world.on_phase = on_phase


@pytest.mark.parametrize(
    "moment", ["researcher", *(pytest.param(one, marks=long_form) for one in ("planner", "reporter"))]
)
def test_a_disk_that_fills_up_under_the_home_stops_the_run_and_nothing_is_lost(
    run: Crashing, whole: Whole, disk: Disk, moment: str
) -> None:
    placed(run, disk, "home")
    once_at(run, moment, "asked", disk.fill)
    message = fails(run)
    assert "full" in message
    assert "leadline resume" in message
    disk.empty()
    check(run, whole, run.finish())


@long_form
def test_a_disk_that_fills_up_under_the_report_leaves_no_half_file(run: Crashing, whole: Whole, disk: Disk) -> None:
    placed(run, disk, "out")
    once_at(run, "reporter", "half", disk.fill)
    message = fails(run)
    assert "No space left on device" in message
    assert "leadline resume" in message
    assert all(data == whole.files[name] for name, data in files_of(run.folder).items())
    disk.empty()
    (run.out / "ballast").unlink(missing_ok=True)
    check(run, whole, run.finish())


@long_form
def test_a_report_that_cannot_be_written_is_written_elsewhere(
    run: Crashing, whole: Whole, disk: Disk, tmp_path: Path
) -> None:
    placed(run, disk, "out")
    once_at(run, "reporter", "half", lambda: disk.read_only(True))
    assert "Read-only file system" in fails(run)
    run.out = tmp_path / "elsewhere"
    run.more = ["--out", str(run.out)]
    check(run, whole, run.finish())


@pytest.mark.parametrize(("what", "code"), [("home", 1), ("out", 2)])
def test_a_read_only_folder_is_named_before_any_work(
    run: Crashing, whole: Whole, disk: Disk, what: str, code: int
) -> None:
    placed(run, disk, what)
    disk.read_only(True)
    message = fails(run, code=code)
    assert str(getattr(run, what)) in message
    assert not run.world.seen


@long_form
def test_a_home_that_becomes_read_only_says_so_and_is_gone_on_with_later(
    run: Crashing, whole: Whole, disk: Disk
) -> None:
    placed(run, disk, "home")
    once_at(run, "researcher", "asked", disk.fill)
    fails(run)
    disk.empty()
    disk.read_only(True)
    assert "leadline resume" in fails(run)
    disk.read_only(False)
    check(run, whole, run.finish())
