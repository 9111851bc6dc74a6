"""The home folder: private from the start."""

import os
import stat
from pathlib import Path

import pytest

from leadline import research
from tests.leadline.conftest import Leadline

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
QUESTION = "Where was the designer of the wire sounding machine born?"


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
