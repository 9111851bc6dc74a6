"""The command's process, `leadline` or `python -m leadline`: tuned for a short start and a short end.

What stands between the command and its first model call is imports, some 2,000 modules, of which a run uses half.
`POSTPONED` leaves out the rest. Nothing of what is imported becomes garbage, yet the collector's default thresholds look
through all of it again and again. And what makes a Pydantic class usable, its validator, takes longer than all else about the
class, while most of the classes that libraries define are never used: each is made at its first use. Nor does Pydantic look
for plugins of its own, for which it reads the metadata of every package that is installed. Together that is half of the time.
At the end nothing that was loaded is taken apart.
Other people's processes, which import `leadline` as a library, are left as they are.
"""

import atexit
import gc
import importlib
import os
import sys
import threading
from typing import Any

from leadline.lazy import postpone

POSTPONED = (
    "langchain_openai",
    "langchain_openai.chat_models",
    "langgraph_sdk",
    "langsmith.types",
    "openai.types",
    "openai.types.responses",
)
"""Packages of which a run needs a few parts, or none: the client of a LangGraph server, types of services not used here."""
ALLOCATIONS = 500_000
"""New objects between two collections; Python's default is 700."""

ROOM = 70_000
"""Slots of the frame that all others are called from: Python gives it a stack of a mebibyte, half of which is left to them.

Without it the stack grows and shrinks by 16 KiB, and a loop of calls at the border of two such pieces asks the system for
one and gives it back again with each call, which it did 6,700 times before the first model call.
"""

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended."""


def main() -> None:
    """Run the command line; whoever interrupts it before it has begun anything sees a word instead of the imports."""
    gc.set_threshold(ALLOCATIONS, 20, 20)
    try:
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        from pydantic import BaseModel, ConfigDict

        postpone(POSTPONED)
        BaseModel.model_config = ConfigDict(defer_build=True)
        _import_without_numpy("sqlite_vec")
        from leadline import cli

        cli.main()
    except KeyboardInterrupt:
        sys.stderr.write("\nleadline: Interrupted.\n")
        _leave(INTERRUPTED)
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        _leave(ended.code or 0)
    finally:
        gc.freeze()


main.__code__ = main.__code__.replace(co_stacksize=ROOM)


def _leave(code: int) -> None:
    """End the process as the interpreter does, but for taking apart what is loaded, which takes longer than all else."""
    if any(one is not threading.main_thread() and not one.daemon for one in threading.enumerate()):
        sys.exit(code)
    try:
        atexit._run_exitfuncs()  # nothing public runs what others have registered
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # whoever reads has gone: the interpreter says so
        sys.exit(code)
    os._exit(code)


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
