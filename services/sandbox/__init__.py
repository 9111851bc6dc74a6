"""Runs model-written code and parses files, isolated by the operating system: `from services.sandbox import Sandbox`.

The parent's side is imported lazily (PEP 562), so that a process that parses files loads only `services.sandbox.jobs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from services.sandbox.sandbox import CanaryResult, Sandbox, SandboxResult

__all__ = ["CanaryResult", "Sandbox", "SandboxResult"]


def __getattr__(name: str) -> Any:
    """Import a public name of the room lazily."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.sandbox"), name)
