"""Runs: start, resume, replay, revise, watch, and storage with their results."""
