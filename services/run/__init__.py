"""The base of every call of a run: settings, budget, journal, scope, log, traces, errors and messages."""
