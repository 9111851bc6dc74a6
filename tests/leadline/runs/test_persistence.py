"""Databases that a process was killed amid the making of: the next one finishes them."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.store.base import BaseStore, GetOp, Item, PutOp
from langgraph.store.sqlite.base import MIGRATIONS

from leadline.runs.persistence import store


def half_made(file: Path, changes: int, noted: int) -> None:
    """Leave a store as a process does that is killed after so many changes of its tables, of which so many are noted."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE store_migrations (v INTEGER PRIMARY KEY)")
        for change in MIGRATIONS[:changes]:
            db.executescript(change)
        db.executemany("INSERT INTO store_migrations (v) VALUES (?)", [(one,) for one in range(noted)])
        db.commit()


@pytest.mark.parametrize("changes", range(len(MIGRATIONS) + 1))
@pytest.mark.parametrize("noted", ["all", "all but the last"])
async def test_a_store_that_was_half_made_is_made_whole(tmp_path: Path, changes: int, noted: str) -> None:
    half_made(tmp_path / "store.sqlite", changes, max(0, changes - (noted != "all")))
    async with store(tmp_path) as opened:
        await opened.aput(("a",), "b", {"c": 1})
        kept = await opened.aget(("a",), "b")
    assert kept is not None
    assert kept.value == {"c": 1}
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as db:
        assert [v for (v,) in db.execute("SELECT v FROM store_migrations ORDER BY v")] == [*range(len(MIGRATIONS))]
        columns = [name for _, name, *_ in db.execute("PRAGMA table_info(store)")]
    assert {"expires_at", "ttl_minutes"} <= set(columns)


async def test_runs_that_read_and_write_at_once_do_not_lock_each_other_out(tmp_path: Path) -> None:
    async def work(opened: BaseStore, name: str) -> None:
        for place in range(100):
            key = f"{name}-{place}"
            await asyncio.gather(opened.aget(("read",), key), opened.aput(("written",), key, {"place": place}))

    async with store(tmp_path) as one, store(tmp_path) as other:
        await asyncio.gather(work(one, "one"), work(other, "other"))
        written = await one.asearch(("written",), limit=1_000)
    assert len(written) == 200


async def test_a_batch_gives_its_results_in_the_order_of_its_operations(tmp_path: Path) -> None:
    async with store(tmp_path) as opened:
        await opened.aput(("a",), "b", {"c": 1})
        read, written, again = await opened.abatch(
            [GetOp(("a",), "b"), PutOp(("a",), "d", {"e": 2}), GetOp(("a",), "d")]
        )
        later = await opened.aget(("a",), "d")
    assert isinstance(read, Item)
    assert read.value == {"c": 1}
    assert (written, again) == (None, None)
    assert later is not None
