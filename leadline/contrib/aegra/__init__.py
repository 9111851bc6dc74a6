"""Leadline on Aegra, a server for LangGraph that scales out: the graph, who may call, and whose turn it is."""
