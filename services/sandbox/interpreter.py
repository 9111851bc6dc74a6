"""The Python interpreter for programs, the files that it must read, and the command line of a confined process."""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.run.errors import SandboxRefused
from services.run.settings import settings
from services.run.ui_text import told
from services.sandbox.library_paths import library_paths

_PROJECT = Path(__file__).resolve().parents[2]
SYSTEM = (
    "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/usr/share/zoneinfo", "/etc/localtime", "/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts",
)  # fmt: skip
_PATHS = Path(__file__).with_name("library_paths.py")

JAIL = Path(__file__).with_name("jail.py")
_DEFAULTS = {"work": "", "seconds": 0, "packages": []}

LIBRARIES = (
    "pandas", "numpy", "scipy", "statsmodels", "openpyxl", "xlrd", "xlsxwriter", "matplotlib", "seaborn", "plotly",
)  # fmt: skip
"""Packages of the sandbox's environment; see requirements-sandbox.in."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python interpreter and its libraries."""

    python: Path
    packages: tuple[str, ...]
    """Folders of the packages to import."""
    readable: tuple[str, ...]
    """Files and folders to read, including packages."""
    libraries: tuple[str, ...] = ()
    """Installed packages among those for programs."""
    fonts: str = ""
    """Folder with matplotlib's list of fonts, if it exists."""


_known: dict[Path, Interpreter] = {}


def default_python() -> Path:
    """Return `LEADLINE_SANDBOX_PYTHON`, else the project's `.venv-sandbox`, else this process's interpreter."""
    named = settings().leadline_sandbox_python
    if named is not None:
        return named
    own = _PROJECT / ".venv-sandbox" / "bin" / "python"
    return own if own.exists() else Path(sys.executable)


def own_interpreter() -> Interpreter:
    """Return this process's Python with the application's packages. Blocking."""
    return _interpreter(Path(sys.executable), {**library_paths([]), "fonts": ""})


def _interpreter(python: Path, paths: dict[str, Any]) -> Interpreter:
    fonts = [paths["fonts"]] if paths["fonts"] else []
    readable = dict.fromkeys([*paths["packages"], *paths["readable"], *fonts, *SYSTEM])
    return Interpreter(python, tuple(paths["packages"]), tuple(readable), tuple(paths["libraries"]), paths["fonts"])


async def interpreter(python: Path) -> Interpreter:
    """Ask a Python for the location of its libraries, once per process.

    Raises:
        SandboxRefused: the interpreter does not run.
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
            raise SandboxRefused(**told("code_python", python=python, error=error)) from None
        _known[python] = _interpreter(python, paths)
    return _known[python]


def jail_command(python: Path | str, instructions: bytes, **setup: object) -> list[str]:
    """Return the command; without `instructions` nothing is filtered, and `setup` has the other fields of `jail.main`."""
    described = json.dumps({**_DEFAULTS, **setup, "filter": instructions.hex()})
    return [str(python), "-I", "-S", "-B", "-X", "utf8", str(JAIL), described]
