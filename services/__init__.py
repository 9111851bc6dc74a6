"""What the boxes call and the world supplies. Services never import nodes or the graph."""
