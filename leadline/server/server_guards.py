"""What the server below ours lacks: deadlines for the heads and bodies of requests, and a guard of all addresses for webhooks.

**Deadlines.** The server itself (uvicorn) waits without end, and a request that is half sent holds a connection, and perhaps a half-written file. It has no
such deadline, and `langgraph dev` passes none of uvicorn's options on, so the protocol that uvicorn takes by default is named here (uvicorn's
documented option `http` takes such a class). When either has a deadline of its own, `tests/server/test_half_open.py` still passes without
`use_deadlines`, and they can go.

**Webhooks** reach only what pages may be read from. LangGraph's server resolves and checks the address of a webhook itself, when a run is made and again at each
connection, redirects included. But with `disable_private_ips` it lets through site-local addresses, those that carry a private IPv4 address inside
(6to4, Teredo, ISATAP, SIIT), and the address of a cloud's metadata in public space. It has no setting for more networks, so its check of one address is
extended here; `tests/server/test_outgoing.py` says when that is no longer needed.
"""

import asyncio
import time
from functools import wraps
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from leadline.server.api_client import on_aegra
from services.search.pages.addresses import addresses_problem

BETWEEN = 30.0
"""Maximum seconds between two pieces of a body."""
WHOLE = 900.0
"""Maximum seconds of a whole body; 25 MB take as long at 28 kB a second."""

HEAD = 30.0
"""Maximum seconds from the opening of a connection, or from the first byte of a further request, to the end of the request's head."""


class BodyDeadline:
    """Middleware that answers 408 and closes the connection when a body comes too slowly."""

    def __init__(self, app: ASGIApp, between: float = BETWEEN, whole: float = WHOLE) -> None:
        self._app = app
        self._between = between
        self._whole = whole

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        end = time.monotonic() + self._whole
        complete = late = answered = False

        async def timely() -> Message:
            nonlocal complete, late
            if complete:
                return await receive()
            try:
                async with asyncio.timeout(min(self._between, end - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                late = True
                return {"type": "http.disconnect"}
            complete = not message.get("more_body", False)
            return message

        async def answer(message: Message) -> None:
            nonlocal answered
            if not late or answered:
                answered = True
                await send(message)

        try:
            await self._app(scope, timely, answer)
        except Exception:
            if not late:
                raise
        if late and not answered:
            detail = f"The request's body did not come: at most {self._between:.0f} seconds may pass between two pieces of it."
            await JSONResponse({"detail": detail}, 408, {"Connection": "close"})(scope, receive, send)


class HeadDeadline(AutoHTTPProtocol):  # type: ignore[valid-type,misc]  # uvicorn chooses its parser at import
    """uvicorn's protocol with a deadline for request heads."""

    seconds = HEAD
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


def guard_webhooks() -> None:
    """Extend the check in this process; an operator who does not set `disable_private_ips` keeps private addresses."""
    if on_aegra():
        return
    from langgraph_api.lc_security import SSRFBlockedError, SSRFPolicy, policy, transport

    checked = policy.validate_resolved_ip

    @wraps(checked)
    def check(address: str, rules: SSRFPolicy) -> None:
        checked(address, rules)
        if rules.block_private_ips and addresses_problem([address]):
            raise SSRFBlockedError("not a public address")

    policy.validate_resolved_ip = transport.validate_resolved_ip = check
