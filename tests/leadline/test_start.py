"""The start of a run: the question is shown before anything heavy is loaded, and what is needed later is loaded later."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.warmup import LATER
from tests.leadline.conftest import Leadline

GRAPH = {"langchain_core", "langgraph", "langsmith", "graph", "nodes"}
HEAVY = {"IPython", "markitdown", "numpy", "openai", "openpyxl", "pandas", "tavily", "torch", "transformers"}


def _loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_the_first_line_needs_no_graph() -> None:
    loaded = _loaded_by("import leadline.cli, leadline.progress")
    assert not loaded & (GRAPH | HEAVY)


def test_a_program_that_may_ask_later_needs_no_graph() -> None:
    assert not _loaded_by("from leadline import Report, aresearch, research") & (GRAPH | HEAVY)


def test_several_threads_may_ask_first_at_the_same_time() -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
from leadline import research

with ThreadPoolExecutor(4) as pool:
    asked = [pool.submit(research, " ", search="none") for _ in range(4)]
print(*(type(one.exception()).__name__ for one in asked))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["BadInput"] * 4


def test_the_graph_needs_nothing_that_only_a_run_needs() -> None:
    loaded = _loaded_by("import leadline.api")
    assert "langgraph" in loaded
    assert not loaded & {"genai_prices", "markdown_it", "services.models.offline", "yaml", *HEAVY}


def test_the_commands_process_looks_for_numpy_only_when_it_is_needed() -> None:
    loaded = _loaded_by(
        "from leadline.__main__ import _import_without_numpy as load\nload('sqlite_vec')\nimport leadline.home\n"
        "import langgraph.store.sqlite.aio"
    )
    assert "sqlite_vec" in loaded
    assert "numpy" not in loaded


def test_numpy_can_be_imported_afterwards() -> None:
    assert "numpy" in _loaded_by(
        "from leadline.__main__ import _import_without_numpy as load\nload('sqlite_vec')\nimport numpy"
    )


@pytest.mark.parametrize("name", LATER)
def test_what_is_imported_ahead_is_there(name: str) -> None:
    assert importlib.import_module(name)


def test_the_question_is_shown_first(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", "When was William  Thomson\nknighted?", "--docs", docs)
    assert ran.err.splitlines()[0] == "· Researching: When was William Thomson knighted?"


def test_a_long_question_is_shown_shortened_and_in_its_language(leadline: Leadline, docs: Path) -> None:
    ran = leadline("research", "威廉·汤姆森何时受封为爵士？" * 20, "--docs", docs)
    first = ran.err.splitlines()[0]
    assert first.startswith("· 开始研究：威廉")
    assert first.endswith("…")


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "leadline", "--help"], capture_output=True, text=True, check=True, timeout=60
    )
    assert "research" in done.stdout


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("import atexit; atexit.register(print, 'registered', flush=False)", "working\nregistered\n"),
        (
            "import threading, time; threading.Thread(target=lambda: (time.sleep(0.3), print('a thread'))).start()",
            "working\na thread\n",
        ),
        ("", "working\n"),
    ],
    ids=["registered", "thread", "nothing"],
)
def test_a_process_that_ends_early_has_done_what_was_due_at_its_end(before: str, said: str) -> None:
    code = f"{before}\nfrom leadline.__main__ import _leave\nprint('working')\n_leave(3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (3, said, "")


def test_no_call_of_the_commands_process_asks_the_system_for_stack() -> None:
    code = """
import resource, sys, types

def leaf(a=0, b=0, c=0): return a

def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def most(depth):
    before = faults()
    for _ in range(200): leaf()
    own = faults() - before
    return max(own, most(depth - 1)) if depth else own

sys.modules["leadline.cli"] = types.SimpleNamespace(main=lambda: print(most(400)))
import leadline
leadline.cli = sys.modules["leadline.cli"]
from leadline.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) < 100
