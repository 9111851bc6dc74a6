"""Contract of everything that shows the progress of a run."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

from schemas.events import Event


class Progress(Protocol):
    """Shows the events of a run."""

    def __call__(self, event: Event) -> None:
        """Show one event."""

    def paused(self) -> AbstractContextManager[None]:
        """Keep still while a person is asked, where something moves."""
        return nullcontext()

    def ask(self, request: dict[str, Any]) -> None:
        """Show what is to be answered: a plan that waits for its review."""
