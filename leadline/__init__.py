"""Deep research that proves what it says.

`research(question)` runs the whole machine and returns a `Report`; `aresearch` is the same for code that already runs
in an event loop, and tells its progress as it goes: to a `Progress`, for one, which shows it in a notebook.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leadline.asking import aresearch, research
    from leadline.notebook import Progress
    from schemas.reporter import Report

__all__ = ["Progress", "Report", "aresearch", "research"]


def __getattr__(name: str) -> Any:
    """Import on first use, so that `leadline --help` need not wait for schemas."""
    if name == "Report":
        from schemas.reporter import Report

        return Report
    if name == "Progress":
        from leadline.notebook import Progress

        return Progress
    if name in __all__:
        from leadline import asking

        return getattr(asking, name)
    raise AttributeError(f"module 'leadline' has no attribute {name!r}")
