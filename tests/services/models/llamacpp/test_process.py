"""The process that serves a model file: one for a run's process, closed to others, ended with it."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import psutil
import pytest

from services.models import close_clients
from services.models.llamacpp import serve
from services.models.llamacpp.resources import FreeResources
from services.models.llamacpp.serve import Served, serving
from services.run.errors import ModelError, SettingsError
from tests.fakes.tiny_gguf import write_tiny_model

WAIT = 20.0
"""Seconds for what ends by itself."""
OTHER_RUN = """
import asyncio, sys
from pathlib import Path
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


async def killed(served: Served) -> None:
    os.kill(served.child.pid, signal.SIGKILL)
    await served.child.wait()


async def test_a_model_file_is_served_to_who_knows_the_key_alone(tiny: Path) -> None:
    body = {"messages": [{"role": "user", "content": "How deep?"}], "max_tokens": 8}
    async with serving(tiny) as served, httpx2.AsyncClient(base_url=served.base_url) as client:
        refused = await client.post("/chat/completions", json=body)
        headers = {"Authorization": f"Bearer {served.key.get_secret_value()}"}
        answered = await client.post("/chat/completions", json=body, headers=headers)
    assert refused.status_code == 401
    assert answered.json()["choices"][0]["message"]["content"]
    assert served.base_url.startswith("http://127.0.0.1:")


async def test_the_key_stands_in_no_command_line_environment_or_output(tiny: Path) -> None:
    async with serving(tiny) as served:
        key, process = served.key.get_secret_value(), psutil.Process(served.child.pid)
        assert key not in " ".join([*process.cmdline(), *process.environ().values()])
        served.words.seek(0)
        assert key.encode() not in served.words.read()


async def test_the_process_gets_no_secret_of_the_environment(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with serving(tiny) as served:
        assert "OPENAI_API_KEY" not in psutil.Process(served.child.pid).environ()


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


async def test_a_run_that_makes_no_call_for_long_lets_go_and_starts_the_model_again(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_SECONDS", 0.05)
    for _ in range(3):
        async with serving(tiny) as served:
            pass
        assert await gone(served.child.pid)


async def test_a_process_that_is_at_work_is_kept_however_long_it_takes(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_SECONDS", 0.05)
    async with serving(tiny) as served:
        await asyncio.sleep(1.0)
        assert served.child.returncode is None


async def test_a_process_that_was_killed_is_started_again_once(tiny: Path) -> None:
    async with serving(tiny) as first:
        await killed(first)
    async with serving(tiny) as second:
        assert second.child.pid != first.child.pid
        await killed(second)
    with pytest.raises(ModelError, match=r"ended unexpectedly twice .*memory runs out.*aresume"):
        async with serving(tiny):
            pass


async def test_a_model_without_its_tensors_is_refused_in_llama_cpps_words(tmp_path: Path, tiny: Path) -> None:
    cut = write_tiny_model(tmp_path / "cut.gguf", without_tensors=True)
    with pytest.raises(SettingsError, match=r"cannot load the model cut\.gguf \(tensor .* incomplete\)\."):
        async with serving(cut):
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
        assert served.share.context


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


async def test_without_the_extra_the_command_that_installs_it_is_told(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if "site-packages" not in folder])
    with pytest.raises(
        SettingsError, match=r"llama\.cpp, which is not installed\. Install it with: .* pip install .*\[local\]"
    ):
        async with serving(tiny):
            pass
