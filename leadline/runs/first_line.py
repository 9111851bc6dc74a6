"""The first line of a run's progress: which question is being researched."""

from schemas.events import Event
from services.run.ui_text import say
from services.text.tokens import message_language

LONGEST_QUESTION = 100
"""Characters of a question that are shown."""


def first_line(question: str, run_id: str = "", key: str = "starting") -> Event:
    """Return the line that is out before anything else is loaded: which question is being researched.

    Args:
        question: or the change of a report that is asked for.
        run_id: of the run, if it is known already.
        key: of the message.
    """
    line = " ".join(question.split())
    shown = line if len(line) <= LONGEST_QUESTION else f"{line[:LONGEST_QUESTION]}…"
    title = say(key, message_language(question), question=shown)
    return Event(type="notice", node="", title=title, data={"run_id": run_id} if run_id else {})
