"""Checks of reports: citations against quotes, and bundles against the texts of their sources."""
