"""Diagrams of a report: converts Mermaid text to pictures for every format."""
