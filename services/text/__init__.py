"""Texts: tokens, sentences, passages, numbers, copies, ranking, and where a quote stands."""
