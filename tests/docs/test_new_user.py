"""What a new user does: a checkout with nothing set, the commands of README and the Python of the guides in it, and its dev server.

The checkout holds what git tracks, as a clone does, and shares this environment's libraries and the examples, which were read
before; `.ci/run` sets up one of its own, and reads them.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import GUARD, PROJECT
from tests.fakes.http import free_port

pytestmark = pytest.mark.timeout(600)

INSTALLED = ("setup", "develop", ".venv/runtime", ".venv/develop")
"""Targets of the Makefile that need the network."""
SERVED = ("docs/api.md", "docs/server.md", "docs/runs.md")
"""Guides whose Python talks to a server."""
OWNER = "Who owned the schooner Lalla Rookh?"


def _blocks(guide: str, language: str) -> list[str]:
    text = (PROJECT / guide).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory, example_indexes: Path) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (PROJECT / name).is_file() and not name.startswith("examples/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    for name in (".venv", ".venv-sandbox", "examples"):
        (folder / name).symlink_to(PROJECT / name)
    (folder / ".leadline").mkdir(0o700)
    (folder / ".leadline" / "documents").symlink_to(example_indexes)
    return folder


def _environment(checkout: Path) -> dict[str, str]:
    """Return an environment without any setting, also of the make that runs the tests, whose programs run the checkout's code."""
    of_make = re.findall(r"(?:^|\s)(\w+)=", os.environ.get("MAKEFLAGS", ""))
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in of_make and not name.startswith(("OPENAI_", "TAVILY_", "LEADLINE_", "MAKE", "MFLAGS"))
    }
    return {**kept, "PYTHONPATH": os.pathsep.join([str(GUARD), str(checkout)])}


def _ran(checkout: Path, *command: str) -> str:
    ran = subprocess.run(
        command, cwd=checkout, env=_environment(checkout), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, f"{ran.stdout[-1500:]}\n{ran.stderr[-1500:]}"
    assert "Traceback" not in ran.stderr
    return ran.stdout


def test_the_first_commands_answer(checkout: Path) -> None:
    ready = [part for target in INSTALLED for part in ("-o", target)]
    demo, own, tests = (shlex.split(line, comments=True) for line in _blocks("README.md", "sh")[0].splitlines())
    assert tests == ["make", "test"]  # which is what runs this
    assert "depths span 171 metres" in _ran(checkout, demo[0], *ready, *demo[1:], "ARGS=--seconds 1")
    said = _ran(checkout, own[0], *ready, *own[1:])
    assert "10,994 metres" in said
    assert "10,984 metres" in said
    assert (checkout / ".leadline" / "store.sqlite").exists()


def test_make_asks_a_question_as_it_stands(tmp_path: Path) -> None:
    program, question = tmp_path / "leadline", 'What is "$HOME", $(id) and `id`?'
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$2"\n')
    program.chmod(0o755)
    asked = ("make", "-o", ".venv/runtime", "research", f"BIN={tmp_path}")
    assert _ran(PROJECT, *asked, f"Q={question}") == f"{question}\n"
    refused = subprocess.run([*asked, "Q= "], cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (refused.returncode, "Ask something" in refused.stderr) == (2, True)


def test_the_python_answers_follows_up_and_remembers(checkout: Path) -> None:
    answers = next(block for block in _blocks("docs/scripts.md", "python") if "research(" in block)
    [remembers] = [block for block in _blocks("docs/runs.md", "python") if "amemory" in block]
    shown = "print(report.markdown)\nprint(follow_up.answered, follow_up.markdown)\nprint('Remembered:', entry)"
    said = _waiting(checkout, f"{answers}\n{remembers}\n{shown}")
    assert said.count("William Thomson") > 1
    assert "William Thomson" in said.partition("Remembered:")[2]
    assert "Closest passages: And where was he born (about Lalla Rookh)?" in said
    assert "Belfast" in said


@pytest.fixture(scope="module")
def served(checkout: Path) -> Iterator[str]:
    """Serve with `make dev`, and yield the address."""
    port = free_port()
    log, address = checkout.parent / "dev.log", f"http://127.0.0.1:{port}"
    command = ["make", *(part for target in INSTALLED for part in ("-o", target)), "dev", f"PORT={port}"]
    with log.open("wb") as said:
        process = subprocess.Popen(
            command, cwd=checkout, env=_environment(checkout), stdout=said, stderr=said, start_new_session=True
        )
    try:
        for _ in range(300):
            assert process.poll() is None, log.read_text("utf-8")[-2000:]
            try:
                with urllib.request.urlopen(f"{address}/ok", timeout=1):  # noqa: S310 - the address is our own
                    break
            except OSError:
                time.sleep(0.2)
        else:
            pytest.fail(f"the server did not start: {log.read_text('utf-8')[-2000:]}")
        yield address
        assert "BlockingError" not in log.read_text("utf-8")
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # the reloader, the server and what it started
        process.wait(20)


def _waiting(checkout: Path, code: str) -> str:
    """Run Python that may wait at its top level, as in a notebook, and return what it prints."""
    runner = f"import ast, asyncio; run = eval(compile({code!r}, 'guide', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)); run and asyncio.run(run)"
    return _ran(checkout, ".venv/bin/python", "-c", runner)


def test_the_python_of_the_guides_talks_to_the_dev_server(served: str, checkout: Path) -> None:
    before = f"""
import httpx
from langgraph_sdk import get_client
url, token = "{served}", "none-is-needed"
client = get_client(url=url)
thread_id = (await client.threads.create())["thread_id"]
state = await client.runs.wait(thread_id, "deep_research", input={{"question": "{OWNER}"}})
"""
    for guide in SERVED:
        snippets = [code for code in _blocks(guide, "python") if "client" in code or "base_url=url" in code]
        assert snippets, guide
        code = "\n".join([before, *snippets, 'print(state["report"]["markdown"])'])
        here = re.sub(r"http://[\w.]+:2024", served, code).replace('"question": "…"', f'"question": "{OWNER}"')
        assert "William Thomson" in _waiting(checkout, here), guide


def test_every_guide_with_python_is_run_somewhere() -> None:
    elsewhere = {"docs/scripts.md", "docs/architecture.md"}  # above, and in tests/docs/test_guides.py
    guides = ["README.md", *(f"docs/{path.name}" for path in (PROJECT / "docs").glob("*.md"))]
    assert {guide for guide in guides if _blocks(guide, "python")} == {*SERVED} | elsewhere


def test_the_readme_is_one_screen_and_there_are_fifteen_guides() -> None:
    before, links, _ = (PROJECT / "README.md").read_text("utf-8").partition("\n## Links\n")
    assert links
    assert len(before.split()) <= 600
    assert len([*(PROJECT / "docs").glob("*.md")]) <= 15


def test_the_notebooks_open_for_root_too() -> None:
    shown = subprocess.run(["make", "-n", "notebook"], cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    assert ("jupyterlab --notebook-dir=notebooks --allow-root" in shown) == (os.geteuid() == 0)
