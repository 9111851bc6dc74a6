"""One process a run, and no lock left by processes that were killed."""

from pathlib import Path

import pytest

from leadline.runs.store import hold_run_lock, sweep
from services.run.errors import BadInput
from tests.leadline.conftest import python

KILLED = """
import os, signal, sys
from pathlib import Path
from leadline.runs.store import hold_run_lock
with hold_run_lock(Path(sys.argv[1]), sys.argv[2]):
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_lock_of_a_process_that_was_killed_is_removed_by_the_next_one(tmp_path: Path) -> None:
    python("-c", KILLED, tmp_path, "killed")
    assert [path.name for path in (tmp_path / "locks").iterdir()] == ["killed.lock"]
    with hold_run_lock(tmp_path, "another"):
        sweep(tmp_path)
        assert [path.name for path in (tmp_path / "locks").iterdir()] == ["another.lock"]
    assert not list((tmp_path / "locks").iterdir())


def test_a_lock_that_is_held_stays_and_its_run_is_refused(tmp_path: Path) -> None:
    with hold_run_lock(tmp_path, "held"), hold_run_lock(tmp_path, "another"):
        sweep(tmp_path)
        assert (tmp_path / "locks" / "held.lock").exists()
        with pytest.raises(BadInput, match="Run held is being worked on already"), hold_run_lock(tmp_path, "held"):
            pass
    assert not list((tmp_path / "locks").iterdir())
