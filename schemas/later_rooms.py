"""Functions of later rooms that an earlier room calls: what a room offers without being imported by it stands in this table."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

LATER = {
    "configuration": ("graph.machine", "run_configuration"),
    "notebook_html": ("services.reports.html.page", "notebook_html"),
    "end_sessions": ("services.tools.mcp.registry", "end"),
}
"""Module and name of each function."""


def later(name: str) -> Callable[..., Any]:
    """Return a function of the table; its module is imported on first use."""
    module, function = LATER[name]
    target: Callable[..., Any] = getattr(import_module(module), function)
    return target


def later_if_loaded(name: str) -> Callable[..., Any] | None:
    """Return a function of the table, or None if nothing has imported its module: then it has nothing to tell or to end."""
    module, function = LATER[name]
    return getattr(sys.modules.get(module), function, None)
