"""The command, or the dev server, in a process that is a copy of one with all modules loaded, by `multiprocessing`'s fork server.

Loading them takes two thirds of the processor time of a small run, and of a server's start. In all else it is a process of its
own: it can be killed, and what it knew is gone with it. Tests of how a command starts, or of what ends with the interpreter,
start a Python.
"""

import importlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path

from services.run import private_paths

LOADED = [
    "leadline.cli.research", "leadline.api", "services.models.streamed_chat", "tests.fakes.forked",
    "langgraph_cli.cli", "langgraph_grpc_common.checkpointer", "fastapi", "mcp.server", "rich.logging", "structlog", "uvicorn",
]  # fmt: skip
"""Modules that load what a run and a server need; LangGraph's server itself reads its settings as it is loaded."""
SETTLING = 0.5
"""Seconds in which threads take in what a dead process had sent, on a busy machine."""


class Command:
    """`leadline` with arguments; what tests use of `subprocess.Popen`."""

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        out: str = "",
        err: str = "",
        program: str = "leadline",
    ) -> None:
        """Start it.

        Args:
            arguments: of the command.
            cwd: folder in which it runs, by default that of this process.
            env: all its environment variables, by default those of this process.
            out: terminal or file that is its stdout, if any.
            err: terminal or file that is its stderr, if any.
            program: `leadline` or `langgraph`.
        """
        self._streams = Path(tempfile.mkdtemp(prefix="command-"))
        self._printed: tuple[str, str] | None = None
        for name in ("1", "2"):
            (self._streams / name).touch()
        streams = (out or str(self._streams / "1"), err or str(self._streams / "2"))
        folder, environment = str(cwd or Path.cwd()), dict(os.environ if env is None else env)
        self._process = forks().Process(target=_run, args=[[program, *arguments], folder, environment, *streams])
        self._process.start()
        self._life = threading.Thread(
            target=self._process.join, daemon=True
        )  # two would take the exit code from each other
        self._life.start()

    @property
    def returncode(self) -> int | None:
        """Exit code, negative for a signal; None while it runs."""
        return None if self._life.is_alive() else self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and return the exit code.

        Raises:
            TimeoutExpired: it runs on.
        """
        self._life.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("leadline", timeout or 0.0)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        self.wait(timeout)
        if self._printed is None:
            out, err = ((self._streams / name).read_bytes().decode("utf-8", "surrogateescape") for name in ("1", "2"))
            self._printed = out, err
            shutil.rmtree(self._streams)
        return self._printed

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


Child = Command | subprocess.Popen[str]
"""A process that runs the command."""


@cache
def forks() -> ForkServerContext:
    """Start the process with the modules, which runs until this one ends, and return what makes copies of it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    first = context.Process(target=int)
    first.start()
    first.join()
    return context


def settled() -> None:
    """Wait until what a killed process had asked is answered, to nobody: the next one may ask before."""
    time.sleep(SETTLING)
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:  # of an HTTP server, one a connection
            thread.join(SETTLING)


def _run(command: list[str], folder: str, environment: dict[str, str], out: str, err: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, file in ((1, out), (2, err)):
        opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_NOCTTY)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", 1, "utf-8", closefd=False) for number in (1, 2))
    tempfile.tempdir = None  # the environment names it
    importlib.reload(private_paths)  # which reads environment and folder as it is loaded
    sys.argv = command
    if command[0] == "langgraph":
        from langgraph_cli.cli import cli

        cli()
    else:
        from leadline.cli.app import main

        main()
