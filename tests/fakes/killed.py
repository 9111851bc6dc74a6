"""A command that is killed while it runs, and the `resume` that goes on with its run."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from tests.fakes.forked import Command, settled


def killed_and_resumed(arguments: Sequence[str], place: Path, children: list[Command]) -> str:
    """Run a command that somebody kills, then `resume`, and return what that prints.

    Args:
        arguments: of the program.
        place: folder in which it runs; its home lies there.
        children: gets the processes as they start, so that the scripted model can kill the first.
    """
    out = ""
    for given in (arguments, ["resume"]):
        child = Command(given, cwd=place, env={**os.environ, "LEADLINE_HOME": str(place / "home")})
        children.append(child)
        out, err = child.communicate(timeout=300)
        settled()
        assert child.returncode == (-signal.SIGKILL if given is arguments else 0), err
    return out
