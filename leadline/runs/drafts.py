"""The report as it is written, as events: pieces of its text, a few times a second, before anything of it is checked."""

import time
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk

from schemas.clean import clean_text
from schemas.events import Draft, Event

PAUSE = 0.2
"""Seconds between two events; a text's first piece does not wait."""
NODE = "reporter"
"""The node whose messages are the report."""


class Drafting:
    """Puts the tokens of the reporter together to pieces of text."""

    def __init__(self) -> None:
        self._message = ""
        """Id of the message that is being written; another one begins anew, as after an answer that broke off."""
        self._begins = False
        self._held = ""
        self._sent = 0.0

    def add(self, message: object, about: dict[str, Any]) -> Iterator[Event]:
        """Take a message of the stream; gives the event of a piece when it is time for it."""
        if not isinstance(message, AIMessageChunk) or about.get("langgraph_node") != NODE or not message.text:
            return
        if message.id != self._message:
            self._message, self._begins, self._held, self._sent = message.id or "", True, "", 0.0
        self._held += message.text
        if time.monotonic() - self._sent >= PAUSE:
            yield from self.rest()

    def rest(self) -> Iterator[Event]:
        """Give the event of what has not been sent yet, where there is something."""
        if not self._held:
            return
        piece = Draft(text=clean_text(self._held), begins=self._begins)
        self._held, self._begins, self._sent = "", False, time.monotonic()
        yield Event(type="draft", node=NODE, title="", data=piece.model_dump(mode="json"))
