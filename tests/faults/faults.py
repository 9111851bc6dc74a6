"""What goes wrong: faults by number of request, and answers of one role that cannot be used."""

import hashlib
import json
import threading
from collections.abc import Callable
from typing import Any

from tests.fakes.http import Reply
from tests.fakes.openai_server import completion, error, think

Fault = Callable[[int, str, dict[str, Any]], Reply | str | None]
"""Number, role and body of a request to what comes back; None for an answer that is sound."""

LONG = {
    "reporter_section": "William Thomson designed the wire sounding machine in 1872 [E1-1].",
    "reporter_joining": json.dumps(
        {
            "title": "Thomson's machine and the armed lead",
            "summary": "William Thomson designed the wire sounding machine in 1872 [E1-1].",
            "conclusion": "",
            "repeated": [],
            "terms": [],
            "follow_up_questions": [],
        }
    ),
}
"""What the roles of a long report answer, which the offline model does not play."""


def sound(role: str, body: dict[str, Any]) -> str:
    """Return the answer that a role would give without any fault."""
    return LONG[role] if role in LONG else think(role, body)


def chance(seed: int, number: int) -> int:
    """Draw a number below 100 for a request, always the same one."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:4], "big") % 100


def at_rate(percent: int, *statuses: int, seed: int = 1) -> Fault:
    """Refuse so many percent of the requests, with these statuses in turn."""

    def fault(number: int, role: str, body: dict[str, Any]) -> Reply | None:
        if chance(seed, number) >= percent:
            return None
        status = statuses[number % len(statuses)]
        return error(status, "too much at once" if status == 429 else "something broke", "server_error")

    return fault


def seed_for(percent: int, requests: int) -> int:
    """Return the first seed by which a rate hits at least one and not all of the first requests."""
    hits = (sum(chance(seed, one) < percent for one in range(1, requests + 1)) for seed in range(1_000))
    return next(seed for seed, count in enumerate(hits) if 0 < count < requests)


def garbled(role: str, body: dict[str, Any]) -> str:
    return "Of course! I have thought about it, and here is what I think."


def mistaken(role: str, body: dict[str, Any]) -> str:
    """Answer in JSON of another kind."""
    return json.dumps({"answer": [42, None, {"confidence": "very"}], "confidence": "very", "intent": 7, "steps": "one"})


def truncated(role: str, body: dict[str, Any]) -> str:
    """Answer as it should be, and break off after two thirds."""
    whole = sound(role, body)
    return whole[: len(whole) * 2 // 3]


def empty(role: str, body: dict[str, Any]) -> str:
    return ""


def reset(role: str, body: dict[str, Any]) -> Reply:
    """Begin to answer, and reset the connection."""
    whole = completion(body, sound(role, body), as_call=isinstance(body.get("tool_choice"), dict))
    return Reply(body=whole.body, events=whole.events, cut_after=400)


def ended(role: str, body: dict[str, Any]) -> Reply:
    """Begin to answer, and end the stream as if that were all."""
    whole = completion(body, sound(role, body), as_call=isinstance(body.get("tool_choice"), dict))
    return Reply(events=(whole.events or [])[:3], done=False)


def silent(role: str, body: dict[str, Any]) -> Reply:
    """Take the request and say nothing for a minute."""
    return Reply(200, {}, stall=60)


def stuck(over: threading.Event) -> Callable[[str, dict[str, Any]], Reply]:
    """Begin to answer, and say no more until the end of the test."""

    def fault(role: str, body: dict[str, Any]) -> Reply:
        whole = completion(body, sound(role, body), as_call=isinstance(body.get("tool_choice"), dict))
        return Reply(events=whole.events, gate=over)

    return fault


def of_role(role: str, answer: Callable[[str, dict[str, Any]], Reply | str], times: int = 1_000) -> Fault:
    """Let a role's first calls go wrong; all others are sound."""
    left = [times]

    def fault(number: int, asking: str, body: dict[str, Any]) -> Reply | str | None:
        if asking == role and left[0] > 0:
            left[0] -= 1
            return answer(role, body)
        return LONG.get(asking)

    return fault


def no_fault(number: int, role: str, body: dict[str, Any]) -> str | None:
    return LONG.get(role)
