"""Displays of a run's progress: lines, a live view, notebook output, and the review of a plan."""
