"""Closes connections whose request head does not come.

uvicorn has no such deadline, and `langgraph dev` passes none of uvicorn's options on, so the protocol that uvicorn takes by default is named
here (uvicorn's documented option `http` takes such a class). When either has a deadline of its own, `tests/server/test_half_open.py`
still passes without `use_deadlines`, and this file can go.
"""

import asyncio
from typing import Any

from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 30.0
"""Maximum seconds from the opening of a connection, or from the first byte of a further request, to the end of the request's head."""


class HeadDeadline(AutoHTTPProtocol):  # type: ignore[valid-type,misc]  # uvicorn chooses its parser at import
    """uvicorn's protocol with a deadline for request heads."""

    seconds = SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        super().data_received(data)
        if self._deadline is None and self._waits():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(self.seconds, self._end)

    def _end(self) -> None:
        self._deadline = None
        if self._waits() and not self.transport.is_closing():
            self.transport.close()

    def _waits(self) -> bool:
        """Tell whether no request is under way: none has begun, or the last one is answered; a WebSocket is not ours any more."""
        return self.transport.get_protocol() is self and (self.cycle is None or bool(self.cycle.response_complete))


def use_deadlines() -> None:
    """Make uvicorn take this protocol in this process."""
    HTTP_PROTOCOLS["auto"] = f"{__name__}:{HeadDeadline.__name__}"
