"""Databases that the operator configured: checks of queries, their execution, and schemas."""
