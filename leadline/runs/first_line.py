"""The first line of a run's progress, which names the question."""

from schemas.events import Event
from services.run.ui_text import say
from services.text.tokens import message_language

LONGEST_QUESTION = 100
"""Maximum characters of the question in the line."""


def first_line(question: str, run_id: str = "", key: str = "starting") -> Event:
    """Return the first line, which the command prints before other modules are loaded."""
    line = " ".join(question.split())
    shown = line if len(line) <= LONGEST_QUESTION else f"{line[:LONGEST_QUESTION]}…"
    title = say(key, message_language(question), question=shown)
    return Event(type="notice", node="", title=title, data={"run_id": run_id} if run_id else {})
