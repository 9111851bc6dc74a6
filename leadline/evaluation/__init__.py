"""Evaluations: a set of questions under one or several settings, side by side, measured with and without a judge."""
