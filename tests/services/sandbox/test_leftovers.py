"""Work folders of processes that were killed are removed by the next one that runs a program; others are left alone."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from services.sandbox import workfolder
from services.sandbox.workfolder import PREFIX, hold, sweep

HOLDING = """
import sys, time
from services.sandbox.workfolder import hold
held = hold()
(held.folder / "table.csv").write_text("a secret of the user")
print(held.folder, flush=True)
time.sleep(600)
"""

PRINTING = """
import asyncio, sys
from services.sandbox.browser import print_page
asyncio.run(print_page(sys.argv[1], "<p>Hello", 600))
"""


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


def test_a_folder_is_swept_once_its_process_was_killed_and_not_before(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDING], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert child.stdout is not None
    folder = Path(child.stdout.readline().strip())
    sweep()
    assert folder.exists()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    sweep()
    assert not folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on other systems only")
def test_a_page_whose_printing_was_killed_is_swept(tmp_path: Path) -> None:
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nsleep 5\n")
    browser.chmod(0o755)
    command = [sys.executable, "-c", PRINTING, str(browser)]
    child = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)})
    while not list(tmp_path.glob("*/report.html")):
        assert child.poll() is None
        time.sleep(0.05)
    child.kill()
    child.wait()
    for _ in range(200):  # a browser that is forked and not yet executed holds its parent's lock
        sweep()
        if not list(tmp_path.glob("leadline-*")):
            break
        time.sleep(0.05)
    assert not list(tmp_path.glob("leadline-*"))


def test_what_this_process_holds_stays_until_it_lets_go(tmp_path: Path) -> None:
    held = hold()
    sweep()
    assert held.folder.exists()
    held.release()
    assert not list(tmp_path.glob(f"{PREFIX}*"))


def test_a_link_that_bears_such_a_name_leads_nowhere(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("of the user")
    (tmp_path / f"{PREFIX}x").symlink_to(kept)
    sweep()
    assert (kept / "file").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are locked on other systems only")
def test_a_folder_that_is_swept_before_it_is_locked_leaves_no_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    locked = workfolder._locked
    swept: list[Path] = []

    def lock_and_sweep(folder: Path, *, wait: bool) -> int | None:
        handle = locked(folder, wait=wait)
        if not swept:
            swept.append(folder)
            folder.rmdir()
        return handle

    monkeypatch.setattr(workfolder, "_locked", lock_and_sweep)
    before = psutil.Process().num_fds()
    held = hold()
    assert held.folder not in swept
    held.release()
    assert psutil.Process().num_fds() == before
