"""Profiles of tables: kept while the file stays the same, made anew when it changes or the kept ones are broken."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from services.search.converters import Converters
from services.search.index import FileState
from services.search.table_profile import Profiled
from services.search.tables import Table, profile_tables


def _states(folder: Path) -> list[FileState]:
    return [FileState(one.name, one.stat().st_size, one.stat().st_mtime_ns) for one in sorted(folder.glob("*.csv"))]


async def _profiled(folder: Path, states: list[FileState], home: Path) -> list[Table]:
    async with Converters() as converters:

        async def read(new: Sequence[FileState]) -> dict[str, list[Profiled]]:
            return {state.path: await converters.tables(folder / state.path) or [] for state in new}

        return await profile_tables(folder, states, home, read)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "index"


async def test_a_kept_profile_is_the_one_that_was_read(docs: Path, home: Path) -> None:
    first = await _profiled(docs, _states(docs), home)
    assert [table.view.file for table in first] == ["soundings.csv"]
    assert first[0].view.rows == 3
    assert await _profiled(docs, _states(docs), home) == first


async def test_an_unchanged_file_is_not_read_again(docs: Path, home: Path) -> None:
    states = _states(docs)
    first = await _profiled(docs, states, home)
    (docs / "soundings.csv").unlink()
    assert await _profiled(docs, states, home) == first


async def test_a_changed_file_is_read_again_and_one_that_is_gone_forgotten(docs: Path, home: Path) -> None:
    await _profiled(docs, _states(docs), home)
    with (docs / "soundings.csv").open("a") as file:
        file.write("Meteor,1926,8050\n")
    [table] = await _profiled(docs, _states(docs), home)
    assert table.view.rows == 4
    assert await _profiled(docs, [], home) == []


async def test_broken_profiles_are_made_anew(docs: Path, home: Path) -> None:
    first = await _profiled(docs, _states(docs), home)
    [kept] = (home / "documents").glob("*.json")
    kept.write_text('{"files": 7')
    assert await _profiled(docs, _states(docs), home) == first
