"""The units for systemd, as systemd's own checker reads them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

SYSTEMD = shutil.which("systemd-analyze")
UNITS = sorted((PROJECT / "deploy").glob("*.service"))


@pytest.mark.skipif(SYSTEMD is None, reason="systemd-analyze is not installed (Debian: apt-get install systemd)")
def test_systemd_understands_every_line_of_the_units(tmp_path: Path) -> None:
    assert len(UNITS) == 2
    for unit in UNITS:
        here = unit.read_text("utf-8").replace("/opt/leadline/.venv-aegra/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(here, "utf-8")
    checked = subprocess.run(
        [str(SYSTEMD), "verify", *(str(tmp_path / unit.name) for unit in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = (checked.stdout + checked.stderr).splitlines()
    assert [line for line in said if "leadline" in line] == []
    assert checked.returncode == 0
