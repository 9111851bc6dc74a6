"""Reads web pages safely: only public addresses, within limits, as the text that a person sees.

`reader.PageReader` is the way in. Nothing is imported here: the extracting process starts with what it needs.
"""
