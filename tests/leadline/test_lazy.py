"""Postponed packages: their parts come without them, and their own names bring them in, once and whole."""

import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from leadline.__main__ import POSTPONED
from leadline.lazy import postpone

INIT = """
from . import other
from .part import NUMBER
import log
log.RUNS.append(__name__)
__version__ = "1.2"
__all__ = ["NUMBER", "later"]

def __getattr__(name):
    if name == "later":
        return "made on demand"
    raise AttributeError(name)
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Put a package `gathered` on the path, postponed, and return the list of how often it has run."""
    package = tmp_path / "gathered"
    package.mkdir()
    (package / "__init__.py").write_text(INIT)
    (package / "part.py").write_text("NUMBER = 7\n")
    (package / "other.py").write_text("")
    (tmp_path / "log.py").write_text("RUNS = []\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    postpone(["gathered", "not_installed_at_all"])
    runs: list[str] = importlib.import_module("log").RUNS
    yield runs
    for name in [name for name in sys.modules if name.split(".")[0] in {"gathered", "log"}]:
        del sys.modules[name]


def _gathered() -> ModuleType:
    return importlib.import_module("gathered")


def test_a_part_comes_without_its_package(runs: list[str]) -> None:
    assert importlib.import_module("gathered.part").NUMBER == 7
    assert runs == []
    assert "gathered.other" not in sys.modules


@pytest.mark.parametrize(("name", "value"), [("NUMBER", 7), ("__version__", "1.2"), ("later", "made on demand")])
def test_a_name_brings_the_package_in_once(runs: list[str], name: str, value: object) -> None:
    package = _gathered()
    assert runs == []
    assert [getattr(package, name) for _ in range(3)] == [value] * 3
    assert runs == ["gathered"]
    assert type(package) is ModuleType
    assert "gathered.other" in sys.modules


def test_everything_can_be_imported_from_it(runs: list[str]) -> None:
    space: dict[str, object] = {}
    exec("from gathered import *", space)  # noqa: S102 - a star import is allowed at module level only
    assert (space["NUMBER"], space["later"]) == (7, "made on demand")


def test_a_name_that_is_not_there_is_missing_as_ever(runs: list[str]) -> None:
    assert not hasattr(_gathered(), "nothing")
    with pytest.raises(ImportError, match="cannot import name"):
        exec("from gathered import nothing", {})  # noqa: S102 - the statement is what is tested


def test_a_package_that_fails_says_so_every_time(runs: list[str], tmp_path: Path) -> None:
    (tmp_path / "gathered" / "__init__.py").write_text("raise RuntimeError('broken')\n")
    package = _gathered()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="broken"):
            _ = package.NUMBER


def test_threads_that_ask_at_once_all_get_it(runs: list[str]) -> None:
    package, start, got = _gathered(), threading.Barrier(8), []

    def ask() -> None:
        start.wait()
        got.append(package.NUMBER)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [7] * 8
    assert runs == ["gathered"]


def test_what_is_not_installed_stays_missing(runs: list[str]) -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("not_installed_at_all")


def test_the_packages_that_the_command_postpones_still_give_their_names() -> None:
    code = f"""
from leadline.lazy import postpone
postpone({POSTPONED!r})
import sys, langchain_openai, langgraph.graph
assert "openai.types.beta" not in sys.modules and "langgraph_sdk.client" not in sys.modules
from langgraph_sdk import get_client
from openai.types import CompletionUsage
import langgraph_sdk, langsmith.types, openai
assert langgraph_sdk.__version__ and openai.types.Batch and langsmith.types.Run
client = openai.OpenAI(api_key="none")
assert client.embeddings and client.chat.completions
client.close()
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)
