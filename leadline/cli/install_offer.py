"""Offers to install a missing package, if a person is at the terminal to accept."""

import os
import shlex
import subprocess
import sys

import typer

from services.run.errors import NotInstalled


def install_and_repeat(missing: NotInstalled) -> int:
    """Ask whether to install a missing package; if accepted, install it, and restart the same command.

    Returns:
        The exit code of a failed installation; 0 if no person can be asked, or the answer is no.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return 0
    try:
        is_wanted = typer.confirm("Install it now?", default=True, err=True)
    except typer.Abort:
        return 0
    if not is_wanted:
        return 0
    code = subprocess.call(shlex.split(missing.command))
    if not code:
        os.execv(sys.executable, [sys.executable, "-m", "leadline", *sys.argv[1:]])  # noqa: S606 - the same program
    return code
