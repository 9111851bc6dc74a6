"""Forty programs, several side by side, of every way to end: nothing of them stays."""

import asyncio
import gc
import os
import tempfile
from pathlib import Path

import psutil
import pytest

from services.sandbox.sandbox import Sandbox

RUNS, SIDE_BY_SIDE = 40, 4
PROGRAMS = (
    "print('x' * 200_000)",
    "import pandas as pd\nprint(pd.DataFrame({'a': range(1000)}).a.mean())",
    "open('made.bin', 'wb').write(bytes(3_000_000))",
    "1 / 0",
    "exit(3)",
    "import os\nos.mkdir('shut', 0)\nfor n in range(20):\n    os.mkdir('d' * 100)\n    os.chdir('d' * 100)",
    "import os\nos.open('kept', os.O_CREAT)\nos.kill(os.getpid(), 9)",
    "t = __import__('threading')\nfor n in range(8): t.Thread(target=print, args=(n,)).start()",
    "while True: print('x' * 10_000)",
    "held = bytearray(3 << 30)",
)
GROWTH = 12 << 20
"""Bytes that the process may grow by; what came back from the programs after the warm-up is twenty times as much."""


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_forty_runs_leave_no_process_file_or_memory_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    turns = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(number: int) -> bool:
        async with turns:
            return (await Sandbox().run(PROGRAMS[number % len(PROGRAMS)])).ok

    async def some(first: int, last: int) -> list[bool]:
        return await asyncio.gather(*(one(number) for number in range(first, last)))

    me = psutil.Process()
    await some(0, RUNS // 4)
    gc.collect()
    before = (
        me.memory_info().rss,
        me.num_fds(),
        {child.pid for child in me.children(recursive=True)},
        me.num_threads(),
    )
    fine = await some(RUNS // 4, RUNS)
    gc.collect()
    rss, handles, children, threads = before
    for _ in range(100):  # the event loop closes the last program's pipes a moment after its end
        if me.num_fds() <= handles:
            break
        await asyncio.sleep(0.02)
    assert sum(fine) == len(fine) // 2
    assert {child.pid for child in me.children(recursive=True)} <= children
    assert me.num_fds() <= handles
    assert me.num_threads() <= threads + SIDE_BY_SIDE
    assert me.memory_info().rss - rss < GROWTH
    assert sorted(os.listdir(tmp_path)) == ["work"]  # noqa: PTH208 - names; the folder is the test's own
