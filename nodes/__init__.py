"""The graph's nodes, one file each. Nothing is imported here: it would shadow the modules of the same names."""
