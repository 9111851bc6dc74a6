"""The protocol of all progress displays."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from schemas.events import Event


class Progress(Protocol):
    """Shows the events of a run."""

    def __call__(self, event: Event) -> None:
        """Show one event."""

    def paused(self) -> AbstractContextManager[None]:
        """Stop moving displays while a person is asked."""
        return nullcontext()

    def ask(self, request: dict[str, Any]) -> None:
        """Show the question to answer: a plan that waits for its review."""
