"""How this Leadline was installed, from its project folder or as a package, and the location of its examples."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
NAME = "leadline"
_PACKAGED = PROJECT_ROOT / "leadline" / "examples"
EXAMPLES = _PACKAGED if _PACKAGED.is_dir() else PROJECT_ROOT / "examples"
"""Folder of the example documents; `setup.py` puts them into the package."""


def in_project() -> bool:
    """Tell whether this is the project's own folder, in which `make` installs the tools. Blocking."""
    return (PROJECT_ROOT / "setup.py").is_file() and (PROJECT_ROOT / "langgraph.json").is_file()


def is_installed(module: str) -> bool:
    """Tell whether a package is installed, without importing it. Blocking; any thread may ask, as no import hook is involved."""
    return PathFinder.find_spec(module) is not None


def ocr_installed() -> bool:
    """Tell whether the packages that read images are installed. Blocking."""
    return is_installed("rapidocr") and is_installed("onnxruntime")


def _installer() -> str:
    """Return the start of the command that installs into this environment, for the program that created it. Blocking."""
    environment = Path(sys.prefix)
    if (environment / "pipx_metadata.json").is_file():
        return f"pipx runpip {environment.name} install"
    if is_installed("pip"):
        return f"{sys.executable} -m pip install"
    return f"uv pip install --python {sys.executable}"  # uv's environments have no pip


INSTALLER = _installer()
"""Looked up once at import: messages are also built in the event loop, which must not read files."""
_PACKAGE = f"-e '{PROJECT_ROOT}[%s]'" if in_project() else f"'{NAME}[%s]'"


def install_command(extra: str) -> str:
    """Return the command that installs one of Leadline's extras."""
    return f"{INSTALLER} {_PACKAGE % extra}"


def reinstall_command() -> str:
    """Return the command that reinstalls Leadline. Blocking."""
    return "rm -rf .venv && make setup" if in_project() else f"{INSTALLER} --force-reinstall {NAME}"
