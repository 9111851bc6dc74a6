"""`leadline serve`: one command that starts the server, says where it is, keeps everything and stops cleanly."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from leadline.cli.serve import problem_of_runs
from leadline.server.launch import MAX_LOG_BYTES, environment, refuse_taken
from services.run.errors import BadInput
from services.run.settings import forget_settings
from tests.fakes.http import free_port
from tests.leadline.conftest import Leadline

COMMAND = str(Path(sys.executable).with_name("leadline"))


@pytest.fixture
def port() -> int:
    return free_port()


@contextmanager
def serving(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """Run the command in a folder until it says where it is."""
    with subprocess.Popen(
        [COMMAND, "serve", "--no-open", "--port", str(port)],
        cwd=folder,
        env={**os.environ, "LEADLINE_HOME": "kept"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr
            for line in process.stderr:
                if "Leadline is at" in line:
                    assert f"http://127.0.0.1:{port}/" in line
                    break
            else:
                pytest.fail("it did not start")
            yield process
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("LEADLINE_TOKENS", "ada:short", "the token of ada is shorter"),
        ("LEADLINE_TOKENS_FILE", "/nope", "(/nope) cannot be read"),
    ],
)
def test_tokens_that_cannot_be_used_are_one_line(
    leadline: Leadline, port: int, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    forget_settings()
    ran = leadline("serve", "--no-open", "--port", port, code=1)
    assert told in ran.err
    assert len(ran.err.splitlines()) == 2


def test_it_serves_the_page_keeps_the_threads_and_stops_by_signals_and_with_a_killed_command(
    tmp_path: Path, port: int, docs: Path
) -> None:
    (tmp_path / ".env").write_text(f"LEADLINE_DOCS={docs.relative_to(tmp_path)}\nLEADLINE_EMBEDDINGS_MODEL=none\n")
    address = f"http://127.0.0.1:{port}"
    with serving(tmp_path, port) as process, httpx.Client(base_url=address, timeout=60) as http:
        assert "<title>Leadline</title>" in http.get("/").text
        made = {http.post("/threads", json={}).json()["thread_id"] for _ in range(20)}
        thread = next(iter(made))
        asked = {"assistant_id": "deep_research", "input": {"question": "When was William Thomson knighted?"}}
        state = http.post(f"/threads/{thread}/runs/wait", json=asked).json()
        assert "1866" in state["report"]["markdown"]
        assert http.put(f"/attachments/{thread}/note.md", content="# A note").is_success
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert gone(port)
    with serving(tmp_path, port) as process, httpx.Client(base_url=address, timeout=60) as http:
        assert listed(http) == made
        assert "1866" in http.get(f"/reports/{thread}/report.md").text
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert not (tmp_path / ".langgraph_api").exists()
    home = tmp_path / "kept"
    modes = {str(path.relative_to(home)): path.stat().st_mode & 0o077 for path in (home, *home.rglob("*"))}
    assert {"server/log.txt", "server/langgraph.json", f"threads/{thread}/attachments/note.md"} <= modes.keys()
    assert {name for name, shared in modes.items() if shared} == set()
    log = home / "server" / "log.txt"
    assert log.read_text().count("Welcome") == 2  # what was told before a start stays
    [begun] = [line for line in log.read_text().splitlines() if "run_started" in line]
    assert "\x1b" not in begun  # no colours
    os.truncate(log, MAX_LOG_BYTES + 1)
    (home / "server" / ".langgraph_api" / ".langgraph_ops.pckl").write_bytes(b"nothing")  # the list of threads
    with serving(tmp_path, port) as process, httpx.Client(base_url=address, timeout=60) as http:
        assert listed(http) == made
        assert log.stat().st_size < MAX_LOG_BYTES < log.with_name("log.1.txt").stat().st_size
        process.kill()
        process.wait(20)
    if sys.platform == "linux":  # which alone ends a process with its parent
        assert gone(port)


def listed(http: httpx.Client) -> set[str]:
    return {str(one["thread_id"]) for one in http.post("/threads/search", json={"limit": 100}).json()}


def gone(port: int) -> bool:
    """Wait until nobody listens at a port."""
    for _ in range(400):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return True
        time.sleep(0.05)
    return False


def test_a_taken_port_is_said_and_not_left_for_another(leadline: Leadline) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"Port {port} cannot be used.*--port {port + 1}"):
            refuse_taken("127.0.0.1", port)
        ran = leadline("serve", "--no-open", "--port", port)
    assert ran.code == 2
    assert f"Port {port} cannot be used" in ran.err


@pytest.mark.parametrize(
    ("name", "value"),
    [("LEADLINE_DOCS", "/not/there"), ("LEADLINE_SEARCH", "foo"), ("LEADLINE_MCP", "/not/there.json")],
)
def test_what_no_run_could_use_is_said_at_the_start(
    name: str, value: str, leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problem_of_runs() == ""
    monkeypatch.setenv(name, value)
    forget_settings()
    with socket.create_server(("127.0.0.1", 0)) as taken:  # a folder may yet be made: the start goes on, to this port
        ran = leadline("serve", "--no-open", "--port", taken.getsockname()[1])
    assert value in ran.err
    assert ran.code == (2 if name == "LEADLINE_DOCS" else 1)


def test_paths_of_the_environment_hold_from_the_servers_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("LEADLINE_MODEL=small\nLEADLINE_MCP=mcp.json\n")
    monkeypatch.setenv("LEADLINE_HOME", "home")
    monkeypatch.setenv("LEADLINE_DOCS", f"a{os.pathsep}{tmp_path}/b")
    monkeypatch.setenv("LEADLINE_DATABASES", "one=sqlite:///x.db;two=sqlite:////y/z.db;three=sqlite:///~/d.db")
    forget_settings()
    given = environment()
    assert given["LEADLINE_HOME"] == str(tmp_path / "home")
    assert given["LEADLINE_DOCS"] == f"{tmp_path}/a{os.pathsep}{tmp_path}/b"
    assert given["LEADLINE_MCP"] == str(tmp_path / "mcp.json")
    assert given["LEADLINE_MODEL"] == "small"
    assert given["LEADLINE_DATABASES"] == f"one=sqlite:///{tmp_path}/x.db;two=sqlite:////y/z.db;three=sqlite:///~/d.db"


def test_a_server_that_is_not_installed_is_not_said_to_start(
    leadline: Leadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leadline.server.launch.importlib.util.find_spec", lambda _: None)
    told = leadline("serve", code=1).err
    assert told.startswith("leadline: The server is not installed. Install it with: ")
