"""`leadline serve`: starts the server and its page with one command, with its data below `LEADLINE_HOME`.

The server is LangGraph's own (`langgraph dev`), in a process of its own that works below `LEADLINE_HOME`, where it keeps its
list of threads and runs; checkpoints and evidence are there anyway. It is never moved to another port without a word.
"""

import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from leadline.server.accounts import read_accounts
from services.run.dotenv_file import dotenv
from services.run.errors import BadInput, LeadlineError, NotInstalled, StoreUnwritable
from services.run.installation import install_command
from services.run.private_files import PRIVATE_UMASK, make_private_file, make_private_folder
from services.run.settings import settings
from services.run.ui_text import say, told

STARTING = 120
"""Maximum seconds of the server's start on a busy machine."""
STOPPING = 20
"""Maximum seconds of its stop."""
CONFIGURATION = {
    "dependencies": ["."],
    "graphs": {
        "deep_research": {
            "path": "graph.app:graph",
            "description": "Researches a question in sources and backs every statement of its report with quotes.",
        }
    },
    "checkpointer": {"backend": "custom", "path": "leadline.runs.persistence.checkpointer"},
    "store": {"path": "leadline.runs.persistence.store"},
    "auth": {"path": "leadline.server.auth:auth", "disable_studio_auth": True},
    "http": {"app": "leadline.server.app:app"},
    "webhooks": {"url": {"disable_private_ips": True, "require_https": False}},
}
"""Content of the project's `langgraph.json`, which an installed package lacks."""
JOBS = 10
"""Maximum parallel runs."""
_QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
    "LOG_LEVEL": "WARNING",
    "LOG_COLOR": "false",
}
MAX_LOG_BYTES = 20_000_000
"""Bytes of the log beyond which a start puts it aside, in the place of the one that was put aside before."""
_END = 2_000
"""Bytes of the log that an error shows at most."""
_RELATIVE_FILE = re.compile(r"(sqlite:///)(?![/~])")


def check_installed() -> None:
    """Check that the server's packages are installed.

    Raises:
        NotInstalled: they are not.
    """
    if importlib.util.find_spec("langgraph_api") is None or importlib.util.find_spec("fastapi") is None:
        raise NotInstalled(say("serve_missing"), install_command("server"))


def serve(host: str, port: int, ready: Callable[[str], None]) -> int:
    """Serve until Ctrl-C or SIGTERM, and return the exit code: 0 when it was stopped.

    `ready` is called with the page's address once it answers.

    Raises:
        BadInput: the port is taken or forbidden.
        SettingsError: the users' tokens cannot be used.
        StoreUnwritable: the server's folder cannot be written.
        LeadlineError: the server did not start; the message has the end of its output.
    """
    read_accounts(settings())
    refuse_taken(host, port)
    home = settings().leadline_home
    folder = home / "server"
    log, configuration = folder / "log.txt", folder / "langgraph.json"
    try:
        make_private_folder(home, folder.name)
        for file in (log, configuration):
            make_private_file(file)
        configuration.write_text(json.dumps(CONFIGURATION), "utf-8")
        if log.stat().st_size > MAX_LOG_BYTES:
            log.rename(folder / "log.1.txt")
            make_private_file(log)
        log_file = log.open("ab")  # what was told before a crash stays, and whoever rotates the file may truncate it
    except OSError as error:
        raise StoreUnwritable(str(folder), error.strerror) from None
    begins = log_file.tell()
    with log_file:
        process = subprocess.Popen(
            [sys.executable, "-c", "from leadline.server.launch import child; child()", host, str(port)],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # this process forwards Ctrl-C, once
            umask=PRIVATE_UMASK,  # LangGraph's server keeps its threads and runs in this folder
        )
    stopped = _stops(process)
    address = f"http://{'127.0.0.1' if host in {'0.0.0.0', '::'} else host}:{port}/"  # noqa: S104 - compared, not bound
    if _answers(process, address):
        ready(address)
    elif not stopped:
        process.kill()
        raise LeadlineError(**told("serve_failed", log=log, end=_end_of(log, begins)))
    process.wait()
    if not stopped:
        raise LeadlineError(**told("serve_ended", log=log, end=_end_of(log, begins)))
    return 0


def _end_of(log: Path, begins: int) -> str:
    """Return the end of what this start has written to the log."""
    with log.open("rb") as file:
        file.seek(max(begins, file.seek(0, os.SEEK_END) - _END))
        return file.read().decode("utf-8", "replace")


def refuse_taken(host: str, port: int) -> None:
    """Check that a port is free.

    Raises:
        BadInput: the port is taken, or forbidden to this user; the message says what to do.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise BadInput(**told("serve_port", port=str(port), reason=error.strerror, other=str(port + 1))) from None


def environment() -> dict[str, str]:
    """Return the server's environment: that of this process and of `.env`, with absolute paths."""
    from_file = dotenv()
    merged = {**from_file, **{name: value for name, value in os.environ.items() if value or name not in from_file}}
    for name, value in settings():
        if isinstance(value, Path):
            merged[name.upper()] = str(value)
        elif isinstance(value, list) and value and all(isinstance(path, Path) for path in value):
            merged[name.upper()] = os.pathsep.join(map(str, value))
    if "LEADLINE_DATABASES" in merged:
        merged["LEADLINE_DATABASES"] = _RELATIVE_FILE.sub(rf"\g<1>{Path.cwd()}/", merged["LEADLINE_DATABASES"])
    return {**_QUIET, **merged}


def child() -> None:
    """Run LangGraph's server with our configuration; it ends with the command that started it."""
    from langgraph_cli.cli import cli

    from leadline.server.server_guards import use_deadlines

    use_deadlines()
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    host, port = sys.argv[1:]
    cli.main(
        ["dev", "--no-browser", "--no-reload", "--n-jobs-per-worker", str(JOBS), "--host", host, "--port", port,
         "--server-log-level", "WARNING"]
    )  # fmt: skip


def _stops(process: "subprocess.Popen[bytes]") -> list[int]:
    """Forward SIGINT and SIGTERM to the server as SIGTERM; the list holds the received signals. A second signal kills it."""
    came: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        came.append(number)
        if len(came) > 1:
            process.kill()
        else:
            process.terminate()
            signal.signal(signal.SIGALRM, lambda *_: process.kill())
            signal.alarm(STOPPING)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return came


def _answers(process: "subprocess.Popen[bytes]", address: str) -> bool:
    """Wait until the page answers, the server has ended, or the time is up."""
    end = time.monotonic() + STARTING
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - our own address
                return True
        except OSError:
            time.sleep(0.1)
    return False
