"""The command line, and the exit codes of its commands."""

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_NO_EVIDENCE, EXIT_INTERRUPTED = 1, 2, 3, 130
EXIT_PIPE_CLOSED = 141
"""Shells' exit code of a program that SIGPIPE ended."""
