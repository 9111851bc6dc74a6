"""The command with stderr at a pseudo terminal, and what that terminal was told."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

from tests.fakes.forked import Child, Command


def plain(shown: str) -> str:
    """Return what a terminal was told, without what moves its cursor and colours its text."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def in_terminal(arguments: list[str], columns: int, *, piped: bool = True, **environment: str) -> tuple[str, str]:
    """Run the command with stderr at a terminal of this width and 30 rows; return stdout and what the terminal was told.

    Args:
        arguments: of the command.
        columns: of the terminal.
        piped: whether stdout is a pipe; else it is the terminal, too.
        environment: variables that are set besides those of this process. One that a Python reads at its start has one started.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm-256color", **environment}
    child: Child
    if any(name.startswith("PYTHON") for name in environment):
        child = subprocess.Popen(
            [sys.executable, "-m", "leadline", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if piped else theirs,
            stderr=theirs,
            env=variables,
            text=True,
        )
    else:
        terminal = os.ttyname(theirs)
        child = Command(arguments, env=variables, out="" if piped else terminal, err=terminal)
    shown, ended = bytearray(), False
    while not ended:
        ended = child.poll() is not None
        while select.select([ours], [], [], 0.05)[0]:
            shown += os.read(ours, 65_536)
    os.close(theirs)
    os.close(ours)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 0, shown.decode()
    return out or "", shown.decode()
