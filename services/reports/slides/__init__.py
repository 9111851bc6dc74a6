"""Slides: one outline, shown as an HTML deck and as PowerPoint."""
