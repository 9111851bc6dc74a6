"""Running programs: what works inside, what comes back, and that nothing stays behind."""

import asyncio
import os
import pickle
import sys
from pathlib import Path

import psutil
import pytest

from services.run.errors import SandboxRefused, SettingsError
from services.sandbox import sandbox as module
from services.sandbox.sandbox import Sandbox
from services.sandbox.seccomp import filter_program


def test_a_mode_that_there_is_not_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"no sandbox mode 'weird'\. There are: isolated, unsafe"):
        Sandbox("weird")  # type: ignore[arg-type]  # that is what is tested


async def test_what_a_program_prints_and_writes_comes_back() -> None:
    code = "import os\nprint(open('in.txt').read())\nos.makedirs('out')\nopen('out/图.csv', 'w').write('a,b')"
    result = await Sandbox().run(code, files={"in.txt": "深度".encode()})
    assert (result.ok, result.stdout, result.mode, result.stopped_by) == (True, "深度\n", "isolated", "")
    assert result.artifacts == {"out/图.csv": b"a,b"}


async def test_pandas_and_threads_work_inside() -> None:
    code = "import threading\nimport pandas as pd\nprint(pd.read_csv('t.csv').depth.mean())\n"
    code += "t = threading.Thread(target=print, args=('t',))\nt.start(); t.join()"
    result = await Sandbox().run(code, files={"t.csv": b"depth\n2\n4\n"})
    assert result.stdout == "3.0\nt\n", result.error


async def test_a_failing_program_shows_its_own_lines_only() -> None:
    result = await Sandbox().run("def f():\n    return 1 / 0\nf()")
    assert "ZeroDivisionError" in result.error
    assert "main.py" in result.error
    assert "jail.py" not in result.error


async def test_exit_codes_are_passed_on() -> None:
    assert (await Sandbox().run("exit(3)")).exit_code == 3
    assert (await Sandbox().run("import sys\nsys.exit()")).ok


async def test_a_package_that_is_not_there_is_named_and_a_program_may_do_without_it() -> None:
    result = await Sandbox().run("try: import requests\nexcept ImportError: print('without')\nimport torch")
    assert (result.ok, result.stdout) == (False, "without\n")
    assert result.error.endswith("No module named 'torch'")


async def test_artifacts_are_bounded_and_never_interpreted(tmp_path: Path) -> None:
    trap = pickle.dumps(_Trap(tmp_path / "opened"))
    code = f"open('0.pkl', 'wb').write({trap!r})\nfor n in range(30): open(f'f{{n}}', 'w').write('x')"
    result = await Sandbox().run(code)
    assert len(result.artifacts) == 20
    assert result.artifacts["0.pkl"] == trap
    assert not (tmp_path / "opened").exists()


class _Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return os.open, (str(self.path), os.O_CREAT)


@pytest.mark.parametrize("seconds", [0, 4.9, 301, float("nan")])
async def test_a_timeout_out_of_bounds_is_refused(seconds: float) -> None:
    with pytest.raises(SettingsError, match="5 to 300 seconds"):
        await Sandbox().run("print(1)", timeout=seconds)


@pytest.mark.parametrize("name", ["../up", "/etc/x", "main.py", "", "..", "a/b"])
async def test_file_names_that_are_no_plain_names_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="plain file name"):
        await Sandbox().run("print(1)", files={name: b""})


async def test_a_machine_that_does_not_isolate_refuses_and_says_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_isolated", set[Path]())
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxRefused, match="LEADLINE_SANDBOX=unsafe"):
        await Sandbox().run("print(1)")


async def test_a_python_that_does_not_run_is_refused() -> None:
    with pytest.raises(SandboxRefused, match="not a working Python"):
        await Sandbox(python=Path("/nowhere/python")).run("print(1)")


async def test_unsafe_is_asked_for_and_stamped_into_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_SANDBOX", "unsafe")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    result = await Sandbox().run("import os\nprint(os.environ.get('OPENAI_API_KEY'))")
    assert (result.mode, result.stdout) == ("unsafe", "None\n")


def test_a_machine_without_a_table_of_system_calls_is_told() -> None:
    with pytest.raises(ValueError, match="riscv64"):
        filter_program("riscv64")
    assert len(filter_program("aarch64")) % 8 == 0


async def test_nothing_blocks_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_isolated", set[Path]())
    blockbuster = pytest.importorskip("blockbuster", reason="comes with the server extra")
    with blockbuster.blockbuster_ctx():
        result = await Sandbox(mode="isolated").run("open('made', 'w').write('x')", files={"in.txt": b"x"})
    assert result.ok, result.error


async def test_a_cancelled_run_leaves_no_process() -> None:
    before = set(psutil.Process().children())
    running = asyncio.create_task(Sandbox().run("__import__('time').sleep(60)"))
    while not set(psutil.Process().children()) - before:  # noqa: ASYNC110 - processes have no event
        await asyncio.sleep(0.02)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert set(psutil.Process().children()) <= before
