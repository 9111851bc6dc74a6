"""Services that nodes call. They never import nodes or the graph."""
