"""Runs against the model that is connected: `make test-model`. They assert structure, never facts."""
