"""The error of a query's process; it imports nothing, as that process starts anew for each query."""


class QueryFailure(Exception):
    """A driver cannot open its database or will not run a query; the parent makes a `DatabaseError` of the message."""
