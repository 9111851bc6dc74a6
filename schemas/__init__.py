"""What flows between the boxes of the graph, as pydantic models; `state.py` is the whole of it."""
