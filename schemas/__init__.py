"""Pydantic models of the data that flows between nodes; `state.py` is the whole of it."""
