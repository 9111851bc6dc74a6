"""A plan review in the terminal: Enter accepts, words change the plan."""

import asyncio
import sys
from typing import Any


class ReviewPending(Exception):
    """The run waits for a review of its plan, and nobody was there to give it."""


async def review_in_terminal(request: dict[str, Any]) -> object:
    """Show the plan and read the answer from standard input; None when that has ended, and the run stays waiting."""
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
    sys.stderr.write("\n".join(lines))
    sys.stderr.flush()
    answer = await asyncio.to_thread(sys.stdin.readline)
    if not answer:
        return None
    text = answer.strip()
    if not text:
        return {"action": "accept"}
    return {"action": "edit", "feedback": text}
