"""The report being written, as events: pieces of unchecked text, several times a second."""

import time
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk

from schemas.clean_text import clean_text
from schemas.events import DraftPiece, Event

PAUSE = 0.2
"""Seconds between two events. Faster writing, as by the offline model, is not shown."""
NODE = "reporter"
"""The node whose messages are the report."""


class Drafting:
    """Joins the reporter's tokens to pieces of text."""

    def __init__(self) -> None:
        self._message: str | None = ""
        """Id of the current message; another id starts anew, as after an answer that broke off."""
        self._begins = True
        """Whether no piece of it has been sent yet."""
        self._held = ""
        self._due = 0.0

    def add(self, message: object, about: dict[str, Any]) -> Iterator[Event]:
        """Add a message of the stream; returns the event of a piece when one is due."""
        if not isinstance(message, AIMessageChunk) or about.get("langgraph_node") != NODE or not message.text:
            return
        if message.id != self._message:
            self._message, self._begins, self._held, self._due = message.id, True, "", time.monotonic() + PAUSE
        self._held += message.text
        if time.monotonic() >= self._due:
            yield self._piece()

    def rest(self) -> Iterator[Event]:
        """Return the event of the unsent rest of a text."""
        if self._held and not self._begins:
            yield self._piece()

    def _piece(self) -> Event:
        piece = DraftPiece(text=clean_text(self._held), begins=self._begins)
        self._held, self._begins, self._due = "", False, time.monotonic() + PAUSE
        return Event(type="draft", node=NODE, title="", data=piece.model_dump(mode="json"))
