"""Slides: one outline, rendered as an HTML deck and as PowerPoint."""
