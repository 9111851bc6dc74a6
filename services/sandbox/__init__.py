"""Running model-written code and parsing files, isolated by the operating system.

It imports nothing itself: a process that parses files imports `services.sandbox.jobs` from here, and waits for all else.
"""
