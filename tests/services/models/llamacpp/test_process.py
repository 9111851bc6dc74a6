"""The process that serves a model file: shared by the runs of a machine, closed to others, ended with its last user."""

import asyncio
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import psutil
import pytest

from services.models import clients_open, close_clients
from services.models.llamacpp import serve
from services.models.llamacpp.machine import Machine
from services.models.llamacpp.serve import Served, serving
from services.models.llamacpp.shared_files import Lock, SharedFiles, shared_files
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
        print(served.pid, flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


def other_run(model: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", OTHER_RUN, str(model)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def pid_of(run: "subprocess.Popen[str]") -> int:
    assert run.stdout is not None
    return int(run.stdout.readline())


async def gone(pid: int) -> bool:
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        await asyncio.sleep(0.1)
    return False


async def ended(files: SharedFiles) -> bool:
    end = time.monotonic() + WAIT
    while alive := await asyncio.to_thread(files.alive):  # its last thread holds the lock a moment longer
        if time.monotonic() > end:
            break
        await asyncio.sleep(0.05)
    return not alive


async def killed(served: Served, model: Path) -> None:
    os.kill(served.pid, signal.SIGKILL)
    assert await ended(await asyncio.to_thread(shared_files, model))


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
        key, process = served.key.get_secret_value(), psutil.Process(served.pid)
        assert key not in " ".join([*process.cmdline(), *process.environ().values()])
        files = await asyncio.to_thread(shared_files, tiny)
        assert key not in files.last_words()
        assert key in files.record.read_text()
        for path in (files.record, files.words, files.record.parent):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


async def test_the_process_gets_no_secret_of_the_environment(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with serving(tiny) as served:
        assert "OPENAI_API_KEY" not in psutil.Process(served.pid).environ()


@pytest.mark.long
async def test_runs_of_a_machine_share_the_process_until_the_last_ends(tiny: Path) -> None:
    async with clients_open():
        async with serving(tiny) as served:
            pass
        other = other_run(tiny)
        try:
            assert await asyncio.to_thread(pid_of, other) == served.pid
            await close_clients()
            await asyncio.sleep(3 * serve.GRACE_SECONDS)
            assert psutil.pid_exists(served.pid)
        finally:
            await asyncio.to_thread(other.communicate, "\n")
    assert await gone(served.pid)


@pytest.mark.long
async def test_the_process_ends_after_a_run_that_was_killed(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "GRACE_SECONDS", 0.3)
    run = other_run(tiny)
    pid = await asyncio.to_thread(pid_of, run)
    run.kill()
    await asyncio.to_thread(run.communicate)
    assert await gone(pid)


async def test_calls_side_by_side_start_one_process(tiny: Path) -> None:
    async def pid() -> int:
        async with serving(tiny) as served:
            return served.pid

    assert len({*await asyncio.gather(*(pid() for _ in range(4)))}) == 1


async def test_a_run_that_makes_no_call_for_long_lets_go_and_starts_the_model_again(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_SECONDS", 0.05)
    for _ in range(3):
        async with serving(tiny) as served:
            pass
        assert await gone(served.pid)


async def test_a_process_that_is_at_work_is_kept_however_long_it_takes(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_SECONDS", 0.05)
    async with serving(tiny) as served:
        await asyncio.sleep(4 * serve.GRACE_SECONDS)
        assert psutil.pid_exists(served.pid)


async def test_a_process_that_was_killed_is_started_again_once(tiny: Path) -> None:
    async with serving(tiny) as first:
        await killed(first, tiny)
    async with serving(tiny) as second:
        assert second.pid != first.pid
        await killed(second, tiny)
    with pytest.raises(ModelError, match=r"ended unexpectedly twice .*memory runs out.*leadline resume"):
        async with serving(tiny):
            pass


async def test_a_model_without_its_tensors_is_refused_in_llama_cpps_words(tmp_path: Path, tiny: Path) -> None:
    cut = write_tiny_model(tmp_path / "cut.gguf", without_tensors=True)
    with pytest.raises(SettingsError, match=r"cannot load the model cut\.gguf \(tensor .* incomplete\)\."):
        async with serving(cut):
            pass


async def test_too_little_memory_is_found_before_the_start(tiny: Path) -> None:
    with pytest.raises(SettingsError, match=r"too little memory for the model tiny model\.gguf: .* 0\.1 GB are free"):
        async with serving(tiny, machine=Machine(memory=100_000_000, cores=2)):
            pass
    assert not (await asyncio.to_thread(shared_files, tiny)).words.exists()


async def test_a_start_that_takes_too_long_is_given_up(tiny: Path) -> None:
    files = await asyncio.to_thread(shared_files, tiny)
    other = Lock.take(files.starts)  # as of a run whose start hangs
    assert other is not None
    with pytest.raises(SettingsError, match=r"did not load the model tiny model\.gguf within 0 s"):
        async with serving(tiny, start_seconds=0.2):
            pass
    other.release()
    async with serving(tiny) as served:
        assert served.context


async def test_a_start_that_is_interrupted_leaves_nothing_behind(tiny: Path) -> None:
    async def call() -> None:
        async with serving(tiny):
            pass

    files = await asyncio.to_thread(shared_files, tiny)
    task = asyncio.create_task(call())
    while not files.words.exists():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await ended(files)
    async with asyncio.timeout(20):
        while (users := Lock.take(files.users)) is None:  # noqa: ASYNC110 - another process holds it
            await asyncio.sleep(0.05)
    users.release()


async def test_a_folder_that_others_can_look_into_is_not_trusted(tiny: Path, temporary: Path) -> None:
    folder = temporary / f"leadline-{os.getuid()}"
    folder.mkdir(mode=0o755)
    with pytest.raises(SettingsError, match=re.escape(f"{folder} does not belong to this user alone")):
        async with serving(tiny):
            pass


async def test_without_the_extra_the_command_that_installs_it_is_told(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if "site-packages" not in folder])
    with pytest.raises(
        SettingsError, match=r"llama\.cpp, which is not installed\. Install it with: .* pip install .*\[local\]"
    ):
        async with serving(tiny):
            pass
