"""Checks of reports: citations against quotes, and bundles against their sources' texts."""
