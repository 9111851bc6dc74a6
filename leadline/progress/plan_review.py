"""What all progress displays do, and the review of a plan through them: Enter accepts, a text changes the plan."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from schemas.clean_text import clean_text
from schemas.events import Event
from services.run.ui_text import say


class Display:
    """Shows the events of a run; this one shows a plan to review alone."""

    def __call__(self, event: Event) -> None:
        """Show one event."""

    def paused(self) -> AbstractContextManager[None]:
        """Stop moving displays while a person is asked."""
        return nullcontext()

    def ask(self, request: dict[str, Any]) -> None:
        """Print a plan that waits for its review, and how to answer, on stderr."""
        sys.stderr.write(clean_text(_in_words(request)))
        sys.stderr.flush()


def review_in_terminal(display: Display) -> Callable[[dict[str, Any]], Awaitable[object]]:
    """Return a function that asks a person, or a program, to review the plan through standard input.

    A line that is a JSON object is taken as it is, so that a program can replace the plan. The answer is None when standard
    input has ended, and the run stays waiting.
    """

    async def ask(request: dict[str, Any]) -> object:
        with display.paused():
            display.ask(request)
            answer = await _typed_line()
        return _answer_of(answer.strip()) if answer else None

    return ask


def _answer_of(text: str) -> object:
    if text.startswith("{"):
        try:
            return json.loads(text)
        except ValueError:
            pass  # a text, which the planner interprets
    return {"action": "edit", "feedback": text} if text else {"action": "accept"}


def _in_words(request: dict[str, Any]) -> str:
    plan = request.get("plan") or {}
    locale = plan.get("locale", "en")
    lines = [request["message"], f"  {plan.get('title', '')}"]
    for step in plan.get("steps", []):
        kind = say(f"step_{step['step_type']}", locale)
        lines += [
            f"  {step['id']}. [{kind}] {step['title']}",
            *(f"       - {query}" for query in step["queries"]),
        ]
    if "problem" in request:
        lines.append(request["problem"])
    lines.append(f"{say('review_keys', locale)} ")
    return "\n".join(lines)


async def _typed_line() -> str:
    """Read a line; Ctrl-C still works while waiting, which a reading thread would not notice."""
    if sys.platform != "win32" and sys.stdin is not None and getattr(sys.stdin, "isatty", bool)():
        import termios

        loop, ready, descriptor = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()
        termios.tcflush(descriptor, termios.TCIFLUSH)  # text typed before the plan was shown is not an answer
        loop.add_reader(descriptor, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(descriptor)
    return await asyncio.to_thread(sys.stdin.readline)
