"""Changing a finished report: its text as a draft again, and what two versions differ in."""
