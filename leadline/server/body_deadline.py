"""Ends requests whose body does not come: each piece of it has a deadline, and so has the whole.

The server itself (uvicorn) waits for a body without end, and a request that is half sent holds a connection, and perhaps a
half-written file.
"""

import asyncio
import time

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BETWEEN = 30.0
"""Maximum seconds between two pieces of a body."""
WHOLE = 900.0
"""Maximum seconds of a whole body; 25 MB take as long at 28 kB a second."""


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
            said = f"The request's body did not come: at most {self._between:.0f} seconds may pass between two pieces of it."
            await JSONResponse({"detail": said}, 408, {"Connection": "close"})(scope, receive, send)
