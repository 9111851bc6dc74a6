"""The command with stderr at a pseudo terminal, and what that terminal was told."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios


def plain(shown: str) -> str:
    """Return what a terminal was told, without what moves its cursor and colours its text."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def in_terminal(arguments: list[str], columns: int, *, piped: bool = True, **environment: str) -> tuple[str, str]:
    """Run the command with stderr at a terminal of this width and 30 rows; return stdout and what the terminal was told.

    Args:
        arguments: of the command.
        columns: of the terminal.
        piped: whether stdout is a pipe; else it is the terminal, too.
        environment: variables that are set besides those of this process.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    command = [sys.executable, "-m", "leadline", *arguments]
    environment = {**os.environ, "TERM": "xterm-256color", **environment}
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if piped else theirs,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    shown = bytearray()
    while True:
        try:
            piece = os.read(ours, 65_536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0, shown.decode()
    return (out or b"").decode(), shown.decode()
