"""Answers of a scripted editor, made of the blocks that it is shown."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any


def blocks_in(body: dict[str, Any]) -> dict[str, str]:
    human = body["messages"][-1]["content"]
    return dict(re.findall(r'<block id="(B\d+)">\n(.*?)\n(?:<objection|</block>)', human, re.DOTALL))


def edits(*given: dict[str, str], lacks: Sequence[str] = (), locale: str = "") -> str:
    """Answer with edits, each as its fields."""
    return json.dumps({"lacks": list(lacks), "locale": locale, "edits": list(given)})


def whole(text: str, lacks: Sequence[str] = (), locale: str = "") -> Callable[[dict[str, Any]], str]:
    """Answer with a text in place of all blocks."""

    def answer(body: dict[str, Any]) -> str:
        ids = list(blocks_in(body))
        edit = {"block": ids[0], "until": ids[-1], "action": "replace", "text": text}
        return edits(edit, lacks=lacks, locale=locale)

    return answer


def titled(title: str) -> Callable[[dict[str, Any]], str]:
    return lambda body: edits({"block": next(iter(blocks_in(body))), "action": "replace", "text": f"# {title}"})
