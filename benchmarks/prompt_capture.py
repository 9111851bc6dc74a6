"""Captures the models' prompts during a run, and tells whether a passage was in them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.tracers.context import register_configure_hook

from leadline.evaluation.measures import SHORTEST, letters
from services.text.passages import sentences


@dataclass(slots=True)
class Prompts(BaseCallbackHandler):
    """Captured prompts by node, reduced to letters and digits."""

    shown: dict[str, list[str]] = field(default_factory=dict)
    run_inline = True

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Capture a prompt."""
        text = "\n".join(message.text for batch in messages for message in batch)
        self.shown.setdefault(str((metadata or {}).get("langgraph_node", "")), []).append(text)

    def texts(self, node: str = "") -> str:
        """Return the letters of the prompts of a node, or of all nodes."""
        kept = self.shown.get(node, []) if node else [text for texts in self.shown.values() for text in texts]
        return "\n".join(letters(text) for text in dict.fromkeys(kept))


_prompts: ContextVar[Prompts | None] = ContextVar("prompts", default=None)
register_configure_hook(_prompts, inheritable=True)


@contextmanager
def prompts_shown() -> Iterator[Prompts]:
    """Capture the prompts of all model calls inside the block, including started tasks."""
    prompts = Prompts()
    token = _prompts.set(prompts)
    try:
        yield prompts
    finally:
        _prompts.reset(token)


def stands_in(text: str, shown: str) -> bool:
    """Tell whether a sentence of a text is in the prompts' letters: its longest, or any that is long enough."""
    pieces = sorted((letters(text[span.start : span.end]) for span in sentences(text)), key=len, reverse=True)
    long = [piece for piece in pieces if len(piece) >= SHORTEST] or pieces[:1]
    return any(piece in shown for piece in long if piece)
