"""A plan review in the terminal: Enter accepts, words change the plan."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any


class ReviewPending(Exception):
    """The run waits for a review of its plan, and nobody was there to give it."""


def review_in_terminal(
    paused: Callable[[], AbstractContextManager[None]],
) -> Callable[[dict[str, Any]], Awaitable[object]]:
    """Return what asks a person: it shows the plan and reads the answer from standard input.

    The answer is None when standard input has ended, and the run stays waiting.

    Args:
        paused: keeps the progress still meanwhile.
    """

    async def ask(request: dict[str, Any]) -> object:
        with paused():
            sys.stderr.write(_shown(request))
            sys.stderr.flush()
            answer = await _typed_line()
        if not answer:
            return None
        text = answer.strip()
        return {"action": "edit", "feedback": text} if text else {"action": "accept"}

    return ask


def _shown(request: dict[str, Any]) -> str:
    plan = request.get("plan") or {}
    lines = [request["message"], f"  {plan.get('title', '')}"]
    for step in plan.get("steps", []):
        lines += [
            f"  {step['id']}. [{step['step_type']}] {step['title']}",
            *(f"       - {query}" for query in step["queries"]),
        ]
    if "problem" in request:
        lines.append(request["problem"])
    lines.append("[Enter = accept, or say what to change] > ")
    return "\n".join(lines)


async def _typed_line() -> str:
    """Read a line; a person who thinks about it can still press Ctrl-C, which a thread that reads would not notice."""
    if sys.platform != "win32" and sys.stdin is not None and getattr(sys.stdin, "isatty", bool)():
        import termios

        loop, ready, descriptor = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()
        termios.tcflush(descriptor, termios.TCIFLUSH)  # what was typed before the plan stood there was no answer to it
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
    return await asyncio.to_thread(sys.stdin.readline)
