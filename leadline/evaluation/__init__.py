"""Evaluations: a set of questions under several settings in parallel, measured with and without a judge."""
