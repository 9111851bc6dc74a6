"""Which Python runs the programs, and what it has to read to work."""

import asyncio
import json
import mimetypes
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from services.run.errors import SandboxRefused
from services.run.settings import settings
from services.sandbox.imports import LIBRARIES

_PROJECT = Path(__file__).resolve().parents[2]
SYSTEM = (
    "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/usr/share/zoneinfo", "/etc/localtime", "/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts",
)  # fmt: skip
_ASK = """
import importlib.util, json, mimetypes, os, sys, sysconfig
paths = sysconfig.get_paths()
readable = [paths["stdlib"], paths["platstdlib"], sys.base_prefix + "/lib", sys.executable, *map(str, mimetypes.knownfiles)]
fonts = os.path.join(sys.prefix, "matplotlib")
below = [one for one in sys.path if os.path.basename(one) in ("site-packages", "dist-packages")]
print(json.dumps({
    "packages": list(dict.fromkeys([paths["purelib"], paths["platlib"], *below])),
    "readable": readable,
    "libraries": [name for name in sys.argv[1:] if importlib.util.find_spec(name)],
    "fonts": fonts if os.path.isdir(fonts) else "",
}))
"""


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
    paths = sysconfig.get_paths()
    # An environment may stand on another one, as with --system-site-packages
    below = [one for one in sys.path if Path(one).name in {"site-packages", "dist-packages"}]
    packages = tuple(dict.fromkeys([paths["purelib"], paths["platlib"], *below]))
    library = [
        paths["stdlib"],
        paths["platstdlib"],
        f"{sys.base_prefix}/lib",
        sys.executable,
        *map(str, mimetypes.knownfiles),
    ]
    return Interpreter(Path(sys.executable), packages, tuple(dict.fromkeys([*packages, *library, *SYSTEM])))


async def interpreter(python: Path) -> Interpreter:
    """Ask a Python where its libraries are; once a process.

    Raises:
        SandboxRefused: it does not run.
    """
    if python not in _known:
        try:
            child = await asyncio.create_subprocess_exec(
                python,
                "-I",
                "-c",
                _ASK,
                *LIBRARIES,
                env={},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
            )
            found = json.loads((await child.communicate())[0])
        except (OSError, ValueError) as error:
            raise SandboxRefused(
                f"Code is not run: {python} is no working Python ({error}). Correct LEADLINE_SANDBOX_PYTHON."
            ) from None
        packages, fonts = tuple(found["packages"]), [found["fonts"]] if found["fonts"] else []
        readable = tuple(dict.fromkeys([*packages, *found["readable"], *fonts, *SYSTEM]))
        _known[python] = Interpreter(python, packages, readable, tuple(found["libraries"]), found["fonts"])
    return _known[python]
