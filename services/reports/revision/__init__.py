"""Revisions of a finished report: its text as a draft, and the difference between two versions."""
