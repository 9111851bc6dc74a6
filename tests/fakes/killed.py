"""A command that is killed while it runs, and the `resume` that goes on with its run."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def killed_and_resumed(arguments: Sequence[str], place: Path, children: list[subprocess.Popen[str]]) -> str:
    """Run a command that somebody kills, then `resume`, and return what that prints.

    Args:
        arguments: of the program.
        place: folder in which it runs; its home lies there.
        children: gets the processes as they start, so that the scripted model can kill the first.
    """
    out = ""
    for given in (arguments, ["resume"]):
        child = subprocess.Popen(
            [sys.executable, "-m", "leadline", *given],
            cwd=place,
            env={**os.environ, "LEADLINE_HOME": str(place / "home")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        children.append(child)
        out, err = child.communicate(timeout=300)
        assert child.returncode == (-signal.SIGKILL if given is arguments else 0), err
    return out
