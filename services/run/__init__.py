"""Infrastructure of a run's calls: settings, budget, journal, scope, log, traces, errors and messages."""
