"""The command's process, `leadline` or `python -m leadline`: tuned for a short start and a short end.

A run imports some 3,000 modules before its first model call. None of that becomes garbage, yet the collector's default
thresholds look through all of it again and again, and the interpreter once more when it ends: half a second in all.
Other people's processes, which import `leadline` as a library, are left as they are.
"""

import gc
import importlib
import sys
from typing import Any

ALLOCATIONS = 500_000
"""New objects between two collections; Python's default is 700."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(ALLOCATIONS, 20, 20)
    _import_without_numpy("sqlite_vec")
    from leadline import cli

    try:
        cli.main()
    finally:
        gc.freeze()


def _import_without_numpy(name: str) -> None:
    """Import a module that uses NumPy only where it is there, and that would otherwise load it at the start for nothing."""
    modules: dict[str, Any] = sys.modules
    if "numpy" in modules:
        return
    modules["numpy"] = None
    try:
        importlib.import_module(name)
    finally:
        del modules["numpy"]


if __name__ == "__main__":
    main()
