"""The home folder: private from the start, and readable without write permission."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from leadline import research
from tests.leadline.conftest import Leadline

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
QUESTION = "Where was the designer of the wire sounding machine born?"
READING = [
    ["runs"],
    ["runs", "export", "--format", "csl", "--out", "{out}"],
    ["verify", "{run}"],
]


def modes(home: Path) -> dict[str, int]:
    return {str(path): stat.S_IMODE(path.stat().st_mode) for path in (home, *home.rglob("*"))}


def test_only_the_owner_can_read_a_home_whatever_the_umask(
    unread_docs: Path, tmp_path: Path, leadline: Leadline
) -> None:
    before = os.umask(0)
    try:
        ran = leadline("research", QUESTION, "--docs", unread_docs, "--out", tmp_path / "out")
    finally:
        os.umask(before)
    assert ran.code == 0, ran.err
    found = modes(tmp_path / "home")
    assert ".sqlite" in {Path(name).suffix for name in found}
    open_to_others = {name: oct(mode) for name, mode in found.items() if mode & 0o077}
    assert open_to_others == {}


def test_a_home_that_somebody_shares_keeps_its_permissions(docs: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    home.chmod(0o750)
    research(QUESTION, docs=[docs], out=tmp_path / "out")
    assert stat.S_IMODE(home.stat().st_mode) == 0o750
    assert {mode for name, mode in modes(home).items() if name.endswith(".sqlite")} == {0o600}


def without_write_permission(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command where the home cannot be written: on a read-only mount, since the superuser ignores permissions."""
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    ran = ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(home), sys.executable, "-m", "leadline"]
    environment = {**os.environ, "LEADLINE_HOME": str(home), "COLUMNS": "200"}
    done = subprocess.run([*ran, *arguments], env=environment, capture_output=True, text=True, timeout=100, check=False)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip("the system allows no mounts in a namespace")
    return done


def test_runs_can_be_read_in_a_home_that_cannot_be_written_also_after_a_crash(docs: Path, tmp_path: Path) -> None:
    report = research(QUESTION, docs=[docs], out=tmp_path / "out")
    home = tmp_path / "home"
    for arguments in (*READING, "killed", READING[0]):
        if arguments == "killed":
            leave_a_log_of_writes(home / "checkpoints.sqlite")
            assert (home / "checkpoints.sqlite-wal").stat().st_size
            continue
        given = [part.format(run=report.run_id, out=tmp_path / "made") for part in arguments]
        ran = without_write_permission(home, *given)
        assert ran.returncode == 0, f"{arguments}: {ran.stderr}"
        assert arguments != ["runs"] or report.run_id in ran.stdout
    refused = without_write_permission(home, "research", QUESTION, "--docs", str(docs))
    assert refused.returncode == 1
    assert str(home) in refused.stderr
    assert "LEADLINE_HOME" in refused.stderr


def leave_a_log_of_writes(file: Path) -> None:
    """Write in a process that is killed, so that the last change stands in the log of writes alone."""
    code = (
        "import os, signal, sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('PRAGMA wal_autocheckpoint = 0'); "
        "db.execute('CREATE TABLE later (a)'); db.commit(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], check=False)
    assert done.returncode == -signal.SIGKILL
