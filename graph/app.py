"""The compiled graph that `langgraph.json` serves; the server brings its own checkpointer and store."""

from graph.builder import build_graph

graph = build_graph().compile(name="deep_research")
