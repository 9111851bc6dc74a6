"""Infrastructure of a run's calls: settings, budget, journal, scope, log, errors and messages."""
