"""Tokens of one call, handed on as they come."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk


class TokenHandler(AsyncCallbackHandler):
    """Hands each token of a streaming call to a function."""

    def __init__(self, on_token: Callable[[str], None]) -> None:
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
        """Hand on a token."""
        if isinstance(token, str):
            self._on_token(token)
