"""Setting up: `leadline init`, `leadline models` and `leadline doctor`."""
