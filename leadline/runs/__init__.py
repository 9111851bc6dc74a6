"""Runs: start, resume, replay, refresh, and storage with their results."""
