"""The home folder: private from the start."""

import os
import stat
from pathlib import Path

import pytest
from langgraph.store.base import PutOp

from leadline import research
from leadline.runs.store import RunRecord, open_home
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


async def test_every_run_of_a_home_is_found_and_listed(tmp_path: Path) -> None:
    runs = [RunRecord(id=f"run-{number}", question=QUESTION) for number in range(1_100)]
    async with open_home(tmp_path) as home:
        await home.store.abatch(
            [PutOp(("runs",), record.id, record.model_dump(mode="json"), index=False) for record in runs]
        )
        assert len(await home.records()) == len(runs)
        assert [(await home.record(record.id)).id for record in (runs[0], runs[-1])] == ["run-0", "run-1099"]
