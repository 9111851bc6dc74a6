"""Turns a file, or the body of a page, into text with its tables and its card; `converters.py` is the way in."""
