"""A model whose answers wait while a test holds them back."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.openai_server import OpenAIServer


@dataclass(slots=True)
class HeldModel:
    """What holds the answers of an endpoint back: those to the requests that a test names."""

    endpoint: OpenAIServer
    reached: threading.Event = field(default_factory=threading.Event)
    """Set once such a request has come."""
    let: threading.Event = field(default_factory=threading.Event)
    """Set when they may be answered."""
    _is_held: Callable[[int], bool] = lambda _: False

    def hold(self, is_held: Callable[[int], bool]) -> None:
        """Hold back the requests for which this is true of their number, which counts from 1."""
        self.reached.clear()
        self.let.clear()
        self._is_held = is_held
        self.endpoint.on_request = self.on_request

    def hold_role(self, role: str, after: int = 0) -> None:
        """Hold back the calls of a role, once so many of them have been answered; a report may be written in sections."""

        def is_held(number: int) -> bool:
            roles = self.endpoint.roles[:number]
            return roles[-1].startswith(role) and sum(one.startswith(role) for one in roles) > after

        self.hold(is_held)

    def release(self) -> None:
        """Answer all of them."""
        self._is_held = lambda _: False
        self.let.set()

    def on_request(self, number: int) -> None:
        """Wait with the answer to a request, where it is held; a minute at most."""
        if self._is_held(number):
            self.reached.set()
            self.let.wait(60)
