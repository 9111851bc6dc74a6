"""The error of a query's process; the module imports nothing, since that process starts anew for each query."""


class QueryFailure(Exception):
    """A driver cannot open its database or refuses a query; the parent raises a `DatabaseError` with the message."""
