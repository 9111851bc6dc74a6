"""Diagrams of a report: Mermaid's text as pictures that every format shows."""
