"""Tools for models; each step gets its own set."""
