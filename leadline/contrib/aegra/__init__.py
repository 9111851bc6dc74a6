"""Leadline on Aegra, a scalable server for LangGraph: graph, access, and the order of runs."""
