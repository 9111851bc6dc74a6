"""Web pages, read safely: only public addresses, within limits, as text that a person would see.

`reader.PageReader` is the way in. Nothing is imported here: the extracting process starts with what it needs.
"""
