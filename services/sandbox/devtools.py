"""A client of Chromium's DevTools protocol over a pair of pipes.

The page may have taken over the browser, so messages are limited in size and number and validated. See the protocol's
viewer, https://chromedevtools.github.io/devtools-protocol/.
"""

import asyncio
import itertools
import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from services.run.errors import PageError

MAX_MESSAGES = 50_000
"""Maximum number of answers and events that are read from one browser."""
_ENDED = "the browser ended"
_LARGE = 100_000
"""Bytes of a message from which it is parsed in a thread."""


class CommandRefused(PageError):
    """The browser refused a command, such as a command about a page that has been replaced; it keeps running."""


class _Message(BaseModel):
    """What the browser sends: the answer to a command, or an event."""

    model_config = ConfigDict(extra="ignore")

    id: int | None = None
    result: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    method: str = ""
    params: dict[str, Any] = {}


class DevTools:
    """A connection to one browser through its standard input and output; `listen` must run beside the calls."""

    def __init__(self, process: asyncio.subprocess.Process, notice: Callable[[str, dict[str, Any]], None]) -> None:
        """Take a browser that was started with pipes, and what is called with each event's name and parameters."""
        self._process, self._notice = process, notice
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._problem = ""
        """Reason why `listen` has ended; empty while it runs."""

    async def call(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        """Send a command and return its result.

        Raises:
            CommandRefused: the browser refused the command.
            PageError: the browser ended.
        """
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        message = {"id": number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        try:
            await self._send(message)
            return await answer
        finally:
            self._waiting.pop(number, None)

    async def _send(self, message: dict[str, object]) -> None:
        to = self._process.stdin
        if self._problem or to is None or to.is_closing():
            raise PageError(self._problem or _ENDED)
        try:
            to.write(json.dumps(message).encode() + b"\0")
            await to.drain()
        except OSError:
            raise PageError(_ENDED) from None

    async def listen(self) -> None:
        """Read the browser's messages until it ends; waiting calls then fail."""
        problem = _ENDED
        try:
            await self._listen()
        except ValidationError:
            problem = "the browser answered in another form than it should"
        except (asyncio.LimitOverrunError, ValueError):
            problem = "the browser answered with too much"
        finally:
            self._problem = problem
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(PageError(problem))

    async def _listen(self) -> None:
        source = self._process.stdout
        if source is None:
            return
        for _ in range(MAX_MESSAGES):
            try:
                line = await source.readuntil(b"\0")
            except asyncio.IncompleteReadError:
                return
            data = line[:-1]
            parse = _Message.model_validate_json
            message = await asyncio.to_thread(parse, data) if len(data) > _LARGE else parse(data)
            if message.id is None:
                self._notice(message.method, message.params)
            elif (answer := self._waiting.get(message.id)) is not None and not answer.done():
                if message.error is None:
                    answer.set_result(message.result)
                else:
                    answer.set_exception(CommandRefused("the browser refused a command"))
            await asyncio.sleep(0)  # let other tasks run during a flood of messages
        raise ValueError("too many messages")
