"""Evaluations: a set of questions under several settings in parallel, measured by code."""
