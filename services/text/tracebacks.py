"""What a Python program raised, without the frames that led to it."""

MAX_RAISED = 300
"""Characters that are shown of what was raised."""
_FRAME = '  File "'


def without_frames(error: str) -> str:
    """Return the line with what a program raised; an error without a trace stays as it is.

    Frames name files of the machine and lines of libraries, which tell nothing to a reader of a report.
    """
    lines = error.split("\n")
    frames = [place for place, line in enumerate(lines, 1) if line.startswith(_FRAME)]
    raised = [line.strip() for line in lines[frames[-1] :] if line.strip() and not line[0].isspace()] if frames else []
    if not raised:
        return error
    return raised[0] if len(raised[0]) <= MAX_RAISED else f"{raised[0][: MAX_RAISED - 1].rstrip()}…"
