"""What every call of a run needs: settings, budget, journal, scope, log, traces, errors and messages."""
