"""What the loopback servers of models' providers share: one model that thinks with the offline model, and what was asked of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.http import FarEnd, Reply


@dataclass(slots=True)
class Provider(FarEnd):
    """What was asked, and what to answer."""

    key: str = "test-key"
    model: str = ""
    """The only one that there is."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    script: list[Any] = field(default_factory=list)
    """Answers that come before the model's own: whole replies, or messages in the form of the provider."""
    counted: list[tuple[int, int]] = field(default_factory=list)
    """Tokens in and out of each answer."""

    def said(self, body: dict[str, Any], think: Callable[[dict[str, Any]], Any]) -> tuple[Any, tuple[int, int]]:
        """Return the answer to a request, and its tokens in and out; a whole reply counts none."""
        message = self.script.pop(0) if self.script else think(body)
        if isinstance(message, Reply):
            return message, (0, 0)
        tokens = len(json.dumps(body)) // 4, len(json.dumps(message)) // 4 + 1
        self.counted.append(tokens)
        return message, tokens


def pieces(text: str) -> list[str]:
    """Return a text as it is streamed."""
    return [text[start : start + 40] for start in range(0, len(text), 40)]
