"""Search services that answer over HTTP with JSON or Atom: one client, and a record for each service."""
