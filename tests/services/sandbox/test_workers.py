"""Processes that parse untrusted files: what a parser that was taken over can reach, and what becomes of its answers."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from pydantic import TypeAdapter

from services.sandbox import workers as module
from services.sandbox.workers import Workers
from services.search.documents import open_documents
from services.search.pages.addresses import HostAllowance
from services.search.pages.reader import PageReader
from tests.fakes.site import site

TAKEN_OVER = """
import json, os, socket, sys
def main():
    answers = sys.stdout
    for line in sys.stdin.buffer:
        job = json.loads(line)
        data = sys.stdin.buffer.read(job["bytes"])
        known = {"answers": answers, "found": "nothing", "data": data, **globals(), **job}
        try:
            exec(job["code"], known)
        except (OSError, ImportError) as error:
            known["found"] = f"stopped: {error}"
        print(json.dumps({"found": known["found"]}), file=answers, flush=True)
"""
"""A parser whose input tells it what to do."""
STOPPED = {
    "reading a file outside": "found = open(outside).read()",
    "reading the settings": "found = open(project + '/.env.example').read()",
    "reading another process": "found = open(f'/proc/{os.getppid()}/environ').read()",
    "reading the password file": "found = open('/etc/passwd').read()",
    "listing a folder": "found = os.listdir(project)",
    "writing a file": "open(outside, 'a')",
    "writing a file for others to find": "open('/tmp/left-behind', 'w')",
    "removing a file": "os.remove(outside)",
    "a TCP socket": "socket.create_connection(('127.0.0.1', 9))",
    "a UDP socket": "socket.socket(type=socket.SOCK_DGRAM)",
    "asking a name server": "socket.getaddrinfo('example.org', 80)",
    "a new process": "os.fork() or os._exit(0)",
    "another program": "os.execv('/bin/true', ['true'])",
    "a shell": "__import__('subprocess').run(['true'])",
    "a signal to the application": "os.kill(os.getppid(), 15)",
    "importing what it was not given": "import leadline",
}


@pytest.fixture
async def taken_over(tmp_path: Path) -> AsyncIterator[Workers[dict[str, str]]]:
    package = tmp_path / "root" / "hostile"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "parser.py").write_text(TAKEN_OVER)
    answers = TypeAdapter(dict[str, str])
    async with Workers("hostile.parser", answers, root=tmp_path / "root", own=("hostile",), longest=100_000) as one:
        yield one


async def _do(workers: Workers[dict[str, str]], code: str, seconds: float = 20, **job: str) -> dict[str, str] | None:
    return await workers.run({"code": code, **job}, b"some data", seconds)


@pytest.mark.parametrize("name", STOPPED)
async def test_is_stopped(name: str, taken_over: Workers[dict[str, str]], tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("the secret")
    project = str(Path(__file__).parents[3])
    answer = await _do(taken_over, STOPPED[name], outside=str(outside), project=project)
    assert taken_over.problem == ""
    assert answer is not None
    assert answer["found"].startswith("stopped: "), answer
    assert outside.read_text() == "the secret"


async def test_data_and_answers_go_through(taken_over: Workers[dict[str, str]]) -> None:
    assert await _do(taken_over, "found = data.decode()") == {"found": "some data"}


async def test_no_key_is_known(taken_over: Workers[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    answer = await _do(taken_over, "found = str(dict(os.environ))")
    assert answer is not None
    assert "OPENBLAS" in answer["found"]
    assert "secret" not in answer["found"]


@pytest.mark.parametrize(
    "code",
    [
        "os._exit(97)",
        "answers.write('{\"problem\": 7}\\n'); answers.flush()",
        "answers.write('no JSON\\n'); answers.flush()",
        "answers.write('x' * 1_000_000)",
        "held = [bytearray(1 << 30) for _ in range(8)]",
        "import time; time.sleep(60)",
    ],
    ids=["an end", "another type", "no JSON", "a flood", "too much memory", "too long"],
)
async def test_a_worker_that_misbehaves_gives_nothing_and_is_replaced(
    code: str, taken_over: Workers[dict[str, str]]
) -> None:
    before = set(psutil.Process().children())
    assert await _do(taken_over, code, seconds=1.5) is None
    assert await _do(taken_over, "found = 'again'") == {"found": "again"}
    assert len(set(psutil.Process().children()) - before) == 1
    assert taken_over.problem == ""


KILL_ALL = bytes.fromhex("06000000" + "00000080")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, f"there is no table of system calls for {os.uname().machine}"),
        (KILL_ALL, "the process ended while it was locked in"),
        (b"no filter", "this kernel has no seccomp filter"),
    ],
    ids=["unknown machine", "killed at once", "no seccomp"],
)
async def test_where_locking_in_fails_files_are_read_all_the_same_and_it_is_said(
    answer: bytes | None, reason: str, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def made(machine: str) -> bytes:
        if answer is None:
            raise ValueError(machine)
        return answer

    before = set(psutil.Process().children())
    monkeypatch.setattr(module, "filter_program", made)
    documents = await open_documents(docs, tmp_path / "index")
    assert documents.count == 5
    assert reason in documents.notice("en")
    assert reason in documents.notice("zh-CN")
    assert set(psutil.Process().children()) <= before


async def test_a_page_that_was_read_unlocked_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "filter_program", lambda _: KILL_ALL)
    with site() as served:
        async with PageReader(HostAllowance.parse(served.host)) as reader:
            assert reader.problem == ""
            assert (await reader.read(served.page("/", "<p>Seven fathoms.</p>"))).text == "Seven fathoms."
            assert (await reader.read(served.page("/two", "<p>Eight fathoms.</p>"))).text == "Eight fathoms."
            assert "ended while it was locked in" in reader.problem


async def test_nothing_is_said_where_files_were_read_by_a_locked_in_process(docs: Path, tmp_path: Path) -> None:
    documents = await open_documents(docs, tmp_path / "index")
    assert documents.notice("en") == ""


def test_processes_that_parse_and_query_load_neither_the_graph_nor_the_settings() -> None:
    parsers = "search.files.convert_plain search.files.convert_office search.pages.extract search.pages.extract_office tools.databases.query_child"
    modules = [f"services.{name}" for name in parsers.split()]
    code = f"import {', '.join(modules)}, sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.split())
    assert set(modules) <= loaded
    assert not loaded & {"langchain_core", "langgraph", "langsmith", "pydantic_settings"}
