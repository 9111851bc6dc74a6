"""Deep research whose every statement can be checked.

`research(question)` runs the whole machine and returns a `Report`; `aresearch` is the same for code that already runs
in an event loop, and tells its progress as it goes: to a `Progress`, for one, which shows it in a notebook. `steer(text)` says something to a run
under way, and `asteer` is the same inside an event loop. `aruns` lists the runs, and `aresume` goes on with an interrupted one.

Each name loads its module when it is first used (PEP 562): a command that runs no research need not wait for the graph.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import warn

if TYPE_CHECKING:
    from leadline.api import aresearch, research, steer
    from leadline.progress.notebook import Progress
    from leadline.runs.actions import aresume, aruns, asteer
    from schemas.reporter import Report

__all__ = ["Progress", "Report", "aresearch", "aresume", "aruns", "asteer", "research", "steer"]

_MODULES = {
    "Progress": "leadline.progress.notebook",
    "Report": "leadline.api",
    "aresearch": "leadline.api",
    "aresume": "leadline.runs.actions",
    "aruns": "leadline.runs.actions",
    "asteer": "leadline.runs.actions",
    "research": "leadline.api",
    "steer": "leadline.api",
}
"""Module of each public name; `leadline.api` adds the notebook display to reports."""


_BESIDE = ("graph", "nodes", "prompts", "schemas", "services")
"""Packages beside this one that it is made of."""


def _check_nothing_hides() -> None:
    """Make sure that Python finds the packages beside this one, and no others of their names, such as a script's folder `graph`."""
    root = Path(__file__).resolve().parents[1]
    for name in _BESIDE:
        spec = find_spec(name)
        places = [] if spec is None else [spec.origin] if spec.origin else list(spec.submodule_search_locations or [])
        if places and not Path(str(places[0])).resolve().is_relative_to(root / name):
            raise ImportError(
                f"{places[0]} hides Leadline's own package `{name}`, because Python finds it first. Rename it, or start Leadline "
                "in a process of its own that does not look there: the command `leadline`, or `python -P`."
            )


def _warn_of_hidden() -> None:
    """Warn of folders with modules on Python's path that the packages beside this one hide."""
    root = Path(__file__).resolve().parents[1]
    folders = [Path(entry, name) for entry in sys.path if isinstance(entry, str) for name in _BESIDE]
    hidden = dict.fromkeys(
        str(folder.absolute()) for folder in folders if _holds_modules(folder) and folder.resolve().parent != root
    )
    if hidden:
        warn(
            f"Modules in {', '.join(hidden)} cannot be imported, because Leadline's own packages of these names hide them. Rename "
            "what you import, or install Leadline into an environment of its own and run the command `leadline`.",
            stacklevel=3,
        )


def _holds_modules(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(next(folder.glob(pattern), None) for pattern in ("*.py", "*/*.py"))
    except OSError:  # it cannot be read, by Python's import neither
        return False


_check_nothing_hides()
_warn_of_hidden()


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
