"""What a Python program raised, without the frames that led to it."""

import re

MAX_RAISED = 300
"""Characters that are shown of what was raised."""
_LAST_FRAME = re.compile(r'\A(?s:.*)^ {2}File "[^\n]*\n(?:[ \t][^\n]*\n)*(?=\S)', re.MULTILINE)
"""All up to what follows the last frame; the beginning of a trace may have been cut."""


def without_frames(error: str) -> str:
    """Return the line with what a program raised; an error without a trace stays as it is.

    Frames name files of the machine and lines of libraries, which tell nothing to a reader of a report.
    """
    trace = _LAST_FRAME.match(error)
    if trace is None:
        return error
    line = error[trace.end() :].split("\n", 1)[0].strip()
    return line if len(line) <= MAX_RAISED else f"{line[: MAX_RAISED - 1].rstrip()}…"
