"""The state machine: `build_graph()` returns it uncompiled."""

from graph.builder import build_graph

__all__ = ["build_graph"]
