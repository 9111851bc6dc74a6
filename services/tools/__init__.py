"""Tools that a model can call: the set of a step is built for it."""
