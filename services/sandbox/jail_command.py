"""Builds the command line of a confined process: an interpreter, `jail.py`, and its setup as JSON."""

import json
from pathlib import Path

JAIL = Path(__file__).with_name("jail.py")
_DEFAULTS = {"work": "", "seconds": 0, "packages": []}


def jail_command(python: Path | str, instructions: bytes, **setup: object) -> list[str]:
    """Return the command.

    Args:
        python: the interpreter that runs the jail.
        instructions: the seccomp filter; empty if this machine has none.
        setup: the other fields of `jail.main`; `work`, `seconds` and `packages` are optional.
    """
    described = json.dumps({**_DEFAULTS, **setup, "filter": instructions.hex()})
    return [str(python), "-I", "-S", "-B", "-X", "utf8", str(JAIL), described]
