"""Evidence: what was read, where a quote stands in it, and whether a report's sentences are supported by it."""
