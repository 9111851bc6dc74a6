"""How this Leadline was installed, from its project's folder or as a package, and where its examples are."""

import sys
from importlib.machinery import PathFinder

from services.run.settings import PROJECT_ROOT

NAME = "leadline"
_PACKAGED = PROJECT_ROOT / "leadline" / "examples"
EXAMPLES = _PACKAGED if _PACKAGED.is_dir() else PROJECT_ROOT / "examples"
"""The example documents: `setup.py` puts them into the package."""


def in_project() -> bool:
    """Tell whether this is the project's own folder, where `make` sets up what programs need. Blocking."""
    return (PROJECT_ROOT / "setup.py").is_file() and (PROJECT_ROOT / "langgraph.json").is_file()


def reinstall_command() -> str:
    """Return the command that installs Leadline again. Blocking."""
    return "rm -rf .venv && make setup" if in_project() else f"{sys.executable} -m pip install --force-reinstall {NAME}"


def install_command(extra: str) -> str:
    """Return the command that installs an extra for this Python. Blocking."""
    package = f"-e '{PROJECT_ROOT}[{extra}]'" if in_project() else f"'{NAME}[{extra}]'"
    return f"{sys.executable} -m pip install {package}"


def is_installed(module: str) -> bool:
    """Tell whether a package is installed, without importing it. Blocking; any thread may ask, as no import hook is involved."""
    return PathFinder.find_spec(module) is not None
