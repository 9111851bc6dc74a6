"""The report as it is written, as events: pieces of its text, a few times a second, before anything of it is checked."""

import time
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk

from schemas.clean_text import clean_text
from schemas.events import Draft, Event

PAUSE = 0.2
"""Seconds between two events. What is written in less, as the offline model writes, is not worth showing."""
NODE = "reporter"
"""The node whose messages are the report."""


class Drafting:
    """Puts the tokens of the reporter together to pieces of text."""

    def __init__(self) -> None:
        self._message: str | None = ""
        """Id of the message that is being written; another one begins anew, as after an answer that broke off."""
        self._begins = True
        """Whether nothing of it has been sent yet."""
        self._held = ""
        self._due = 0.0

    def add(self, message: object, about: dict[str, Any]) -> Iterator[Event]:
        """Take a message of the stream; gives the event of a piece when it is time for it."""
        if not isinstance(message, AIMessageChunk) or about.get("langgraph_node") != NODE or not message.text:
            return
        if message.id != self._message:
            self._message, self._begins, self._held, self._due = message.id, True, "", time.monotonic() + PAUSE
        self._held += message.text
        if time.monotonic() >= self._due:
            yield self._piece()

    def rest(self) -> Iterator[Event]:
        """Give the event of what has not been sent yet of a text that was."""
        if self._held and not self._begins:
            yield self._piece()

    def _piece(self) -> Event:
        piece = Draft(text=clean_text(self._held), begins=self._begins)
        self._held, self._begins, self._due = "", False, time.monotonic() + PAUSE
        return Event(type="draft", node=NODE, title="", data=piece.model_dump(mode="json"))
