"""Runs model-written code and parses files, isolated by the operating system: `from services.sandbox import Sandbox`.

The parent's side is imported lazily (PEP 562), so that a process that parses files loads only `services.sandbox.jobs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from services.sandbox.canaries import CanaryResult
    from services.sandbox.sandbox import Sandbox, SandboxResult

__all__ = ["CanaryResult", "Sandbox", "SandboxResult"]
_MODULES = {"CanaryResult": "canaries", "Sandbox": "sandbox", "SandboxResult": "sandbox"}


def __getattr__(name: str) -> Any:
    """Import a public name of the room lazily from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
