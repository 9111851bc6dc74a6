"""One file a box of the picture. Nothing is imported here: it would shadow the modules of the same names."""
