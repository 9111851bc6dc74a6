"""Setting up: `leadline init` and `leadline doctor`."""
