"""The Python that runs the programs, and the files that it has to read."""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.run.errors import SandboxRefused
from services.run.settings import settings
from services.sandbox.imports import LIBRARIES
from services.sandbox.library_paths import library_paths

_PROJECT = Path(__file__).resolve().parents[2]
SYSTEM = (
    "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/usr/share/zoneinfo", "/etc/localtime", "/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts",
)  # fmt: skip
_PATHS = Path(__file__).with_name("library_paths.py")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and its libraries."""

    python: Path
    packages: tuple[str, ...]
    """Folders to import packages from."""
    readable: tuple[str, ...]
    """Files and folders that it reads, packages included."""
    libraries: tuple[str, ...] = ()
    """Those of the libraries for programs that are installed."""
    fonts: str = ""
    """Folder with matplotlib's list of fonts, if it was prepared."""


_known: dict[Path, Interpreter] = {}


def default_python() -> Path:
    """Return `LEADLINE_SANDBOX_PYTHON`, else the project's `.venv-sandbox`, else this process's own interpreter."""
    named = settings().leadline_sandbox_python
    if named is not None:
        return named
    own = _PROJECT / ".venv-sandbox" / "bin" / "python"
    return own if own.exists() else Path(sys.executable)


def own_interpreter() -> Interpreter:
    """Return this process's own Python with the application's packages. Blocking."""
    return _interpreter(Path(sys.executable), {**library_paths([]), "fonts": ""})


def _interpreter(python: Path, paths: dict[str, Any]) -> Interpreter:
    fonts = [paths["fonts"]] if paths["fonts"] else []
    readable = dict.fromkeys([*paths["packages"], *paths["readable"], *fonts, *SYSTEM])
    return Interpreter(python, tuple(paths["packages"]), tuple(readable), tuple(paths["libraries"]), paths["fonts"])


async def interpreter(python: Path) -> Interpreter:
    """Ask a Python where its libraries are; once a process.

    Raises:
        SandboxRefused: it does not run.
    """
    if python not in _known:
        try:
            child = await asyncio.create_subprocess_exec(
                *[str(python), "-I", str(_PATHS), *LIBRARIES],
                env={},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
            )
            paths = json.loads((await child.communicate())[0])
        except (OSError, ValueError) as error:
            raise SandboxRefused(
                f"Code is not run: {python} is no working Python ({error}). Correct LEADLINE_SANDBOX_PYTHON."
            ) from None
        _known[python] = _interpreter(python, paths)
    return _known[python]
