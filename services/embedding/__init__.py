"""Embedding models, vectors, and comparison across languages."""
