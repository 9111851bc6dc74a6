"""Search services with JSON or Atom over HTTP: one client, and a record for each service."""
