"""A wheel of this tree, made from its source archive, in an empty environment with the pinned libraries (`make test-wheel`)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import GUARD, PROJECT

needs_network = pytest.mark.skipif(
    os.environ.get("TEST_WHEEL") != "empty", reason="It needs the network: make test-wheel"
)
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
_SDIST = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
_NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "out", "tests", "notebooks")


@pytest.fixture(autouse=True)
def _without_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have programs run what is installed and not the code of this checkout."""
    monkeypatch.setenv("PYTHONPATH", str(GUARD))


@dataclass(frozen=True, slots=True)
class Installed:
    """Leadline, installed."""

    wheel: Path
    folder: Path
    """The environment."""

    def run(self, *command: object, code: int = 0) -> "subprocess.CompletedProcess[str]":
        """Run one of the environment's programs, and hold it to an exit code."""
        program, *arguments = map(str, command)
        ran = subprocess.run(
            [self.folder / "bin" / program, *arguments],
            capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert ran.returncode == code, f"{program} {arguments}: {ran.stdout[-2000:]} {ran.stderr[-2000:]}"
        return ran


def called(*command: object, cwd: Path | None = None, **variables: str) -> str:
    """Run a program that may use the network, and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment = {**kept, "PIP_NO_COMPILE": "1", **variables}  # modules are compiled when they are used first
    ran = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=environment, check=False,
        cwd=cwd, timeout=600,
    )  # fmt: skip
    assert ran.returncode == 0, f"{command}: {ran.stdout[-2000:]} {ran.stderr[-2000:]}"
    return ran.stdout


def _wheel(folder: Path) -> Path:
    """Make the source archive, and of what is in that, the wheel."""
    shutil.copytree(PROJECT, folder / "tree", ignore=_NOT_COPIED)
    (folder / "sdist").mkdir()
    called(sys.executable, "-c", _SDIST, folder / "sdist", cwd=folder / "tree")
    [archive] = (folder / "sdist").iterdir()
    called(*_PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "-w", folder / "wheel", archive)
    [wheel] = (folder / "wheel").iterdir()
    return wheel


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Install once for all tests."""
    folder = tmp_path_factory.mktemp("install")
    wheel, environment = _wheel(folder), folder / "environment"
    called(sys.executable, "-m", "venv", environment)
    python = environment / "bin" / "python"
    uv = (
        Path(sys.executable).with_name("uv"),
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
    )  # pip takes half a minute
    called(*uv, "--no-deps", "--require-hashes", "-r", PROJECT / "requirements.lock")
    called(*_PIP, "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    return Installed(wheel, environment)


Python = Callable[[str], str]


@pytest.fixture
def python(installed: Installed) -> Python:
    """Run a program in the environment and return what it prints."""
    return lambda program: installed.run("python", "-c", program).stdout.strip()
