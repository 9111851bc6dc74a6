"""The state machine: `build_graph()` for those who compile it themselves."""

from graph.builder import build_graph

__all__ = ["build_graph"]
