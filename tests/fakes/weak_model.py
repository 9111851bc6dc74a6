"""Answers as weak models give them: without end, with wrong ids, without citations. Scripts for `openai_server`."""

import json
from typing import Any

from tests.fakes.http import Reply
from tests.fakes.openai_server import completion


def endless(body: dict[str, Any], begin: str = "", piece: str = "the depth of the sea and ") -> Reply:
    """Return an answer that says the same again and again until it has used up its room.

    Args:
        body: the request.
        begin: what comes before, such as JSON up to a string that never ends.
        piece: what is repeated.
    """
    room = int(body.get("max_tokens") or body.get("max_completion_tokens") or 4_000)
    return completion(body, begin + piece * max(2, room // max(1, len(piece.split()))), "length")


def plan_with_wrong_ids() -> str:
    """Return a plan whose steps share an id, and depend on a step that there is not, on a later one, and on themselves."""
    steps = [
        {"id": "1", "title": "The first", "queries": ["sounding machine"], "depends_on": ["2", "7"]},
        {"id": "1", "title": "The second", "queries": ["tallow in the lead"], "depends_on": ["1"]},
        {"id": "step three", "title": "The third", "queries": ["piano wire"], "depends_on": ["step three"]},
    ]
    told = {"description": "What it is to find out.", "step_type": "research", "need_web_search": True}
    plan = {"locale": "en-US", "has_enough_context": False, "thought": "", "title": "Depths"}
    return json.dumps({**plan, "steps": [{**told, **step} for step in steps]})


def report_without_citations() -> str:
    """Return a report that is right about the documents of the tests, and cites nothing."""
    return (
        "# Sounding by wire\n\nThe wire sounding machine was designed by William Thomson in 1872. "
        "Tallow was pressed into the hollow of the lead so that a sample of the bottom stuck to it.\n"
    )
