"""The process that serves a model file: one for a run's process, closed to others, ended with it."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from services.models import close_clients
from services.models.llamacpp import serve
from services.models.llamacpp.resources import FreeResources
from services.models.llamacpp.serve import serving
from services.run.errors import SettingsError
from tests.fakes.tiny_gguf import write_tiny_model

WAIT = 20.0
"""Seconds for what ends by itself."""
OTHER_RUN = """
import asyncio, sys
from pathlib import Path
from typing import Any
from services.models import clients_open
from services.models.llamacpp.serve import serving

async def main():
    async with clients_open(), serving(Path(sys.argv[1])) as served:
        print(served.child.pid, flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


async def gone(pid: int) -> bool:
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        await asyncio.sleep(0.1)
    return False


async def test_a_model_file_is_served_to_who_knows_the_key_alone(tiny: Path) -> None:
    body = {"messages": [{"role": "user", "content": "How deep?"}], "max_tokens": 8}
    async with serving(tiny) as served, httpx2.AsyncClient(base_url=served.base_url) as client:
        refused = await client.post("/chat/completions", json=body)
        headers = {"Authorization": f"Bearer {served.key.get_secret_value()}"}
        answered = await client.post("/chat/completions", json=body, headers=headers)
    assert refused.status_code == 401
    assert answered.json()["choices"][0]["message"]["content"]
    assert served.base_url.startswith("http://127.0.0.1:")


async def test_the_process_shows_its_key_nowhere_and_gets_no_secret_of_the_environment(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with serving(tiny) as served:
        key, process = served.key.get_secret_value(), psutil.Process(served.child.pid)
        assert key not in " ".join([*process.cmdline(), *process.environ().values()])
        assert "OPENAI_API_KEY" not in process.environ()
        served.words.seek(0)
        assert key.encode() not in served.words.read()


@pytest.mark.parametrize("how", ["ends", pytest.param("is killed", marks=pytest.mark.long)])
async def test_the_process_ends_after_its_run(tiny: Path, how: str) -> None:
    command = [sys.executable, "-c", OTHER_RUN, str(tiny)]
    run = await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert run.stdout is not None
    pid = int(await run.stdout.readline())
    assert psutil.pid_exists(pid)
    if how == "is killed":
        run.kill()
    await run.communicate(b"\n")
    assert await gone(pid)


async def test_calls_side_by_side_start_one_process(tiny: Path) -> None:
    async def pid() -> int:
        async with serving(tiny) as served:
            return served.child.pid

    assert len({*await asyncio.gather(*(pid() for _ in range(4)))}) == 1


async def test_a_process_without_calls_ends_and_one_at_work_is_kept(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_SECONDS", 0.05)
    for _ in range(2):
        async with serving(tiny) as served:
            await asyncio.sleep(0.3)
            assert served.child.returncode is None
        assert await gone(served.child.pid)


@pytest.mark.parametrize(
    ("without_tensors", "words"),
    [(True, r"\(tensor .* incomplete\)"), (False, r"\(.*magic.*\)")],
    ids=["cut off", "no model"],
)
async def test_what_cannot_be_loaded_is_refused_in_llama_cpps_words(
    tmp_path: Path, tiny: Path, without_tensors: bool, words: str
) -> None:
    path = tmp_path / "cut.gguf"
    if without_tensors:
        write_tiny_model(path, without_tensors=True)
    else:
        path.write_text("<!DOCTYPE html>")
    with pytest.raises(SettingsError, match=rf"cannot load the model cut\.gguf {words}\."):
        async with serving(path):
            pass


async def test_too_little_memory_is_found_before_the_start(tiny: Path) -> None:
    with pytest.raises(SettingsError, match=r"too little memory for the model tiny model\.gguf: .* 0\.1 GB are free"):
        async with serving(tiny, machine=FreeResources(memory=100_000_000, cores=2)):
            pass


async def test_a_start_that_takes_too_long_is_given_up(tiny: Path) -> None:
    with pytest.raises(SettingsError, match=r"did not load the model tiny model\.gguf within 0 s"):
        async with serving(tiny, start_seconds=0.01):
            pass
    async with serving(tiny) as served:
        assert served.context


async def test_a_start_that_is_interrupted_leaves_nothing_behind(tiny: Path) -> None:
    async def call() -> None:
        async with serving(tiny):
            pass

    task = asyncio.create_task(call())
    while not (started := psutil.Process().children()):  # noqa: ASYNC110 - another thread starts it
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert all([await gone(process.pid) for process in started])
    await close_clients()


async def test_a_start_that_is_interrupted_between_fork_and_pipes_leaves_nothing_behind(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked, create = asyncio.Event(), asyncio.create_subprocess_exec
    children: list[asyncio.subprocess.Process] = []

    async def slowly(*command: Any, **options: Any) -> asyncio.subprocess.Process:
        children.append(await create(*command, **options))
        forked.set()
        await asyncio.sleep(0.1)
        return children[0]

    async def call() -> None:
        async with serving(tiny):
            pass

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slowly)
    task = asyncio.create_task(call())
    await forked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children[0].returncode is not None
    assert children[0].stdin is not None
    assert children[0].stdin.is_closing()


async def test_without_the_extra_the_command_that_installs_it_is_told(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if "site-packages" not in folder])
    with pytest.raises(
        SettingsError, match=r"llama\.cpp, which is not installed\. Install it with: .* pip install .*\[local\]"
    ):
        async with serving(tiny):
            pass
