"""The command line of a process that locks itself in: an interpreter, `jail.py`, and its setup as JSON."""

import json
from pathlib import Path

JAIL = Path(__file__).with_name("jail.py")
_DEFAULTS = {"work": "", "seconds": 0, "packages": []}


def jail_command(python: Path | str, instructions: bytes, **setup: object) -> list[str]:
    """Return the command.

    Args:
        python: runs the jail.
        instructions: the seccomp filter; empty where this machine has none.
        setup: the other fields that `jail.main` describes; `work`, `seconds` and `packages` may be left out.
    """
    described = json.dumps({**_DEFAULTS, **setup, "filter": instructions.hex()})
    return [str(python), "-I", "-S", "-B", "-X", "utf8", str(JAIL), described]
