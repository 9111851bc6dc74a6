"""Passes on the streamed pieces of an answer from a provider's own integration."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk

from services.models.answer_watch import Sign


class TokenHandler(AsyncCallbackHandler):
    """Calls one function for each piece of a streaming call, and another for its text, if it has any."""

    raise_error = True
    """Exceptions of the functions end the call."""

    def __init__(self, on_piece: Callable[[Sign, str], None] | None, on_token: Callable[[str], None] | None) -> None:
        self._on_piece = on_piece
        self._on_token = on_token

    async def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        """Pass on a piece."""
        text = token if isinstance(token, str) else chunk.text if chunk is not None else ""
        if self._on_piece is not None:
            self._on_piece("writing" if text else "thinking", text)
        if self._on_token is not None and text:
            self._on_token(text)
