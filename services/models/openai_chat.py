"""The chat model of an OpenAI-compatible endpoint, with what is known of that endpoint."""

from collections.abc import Callable
from typing import Any

import httpx2
from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr

from services.models.answer_watch import Sign
from services.models.endpoint import CONNECT_SECONDS, POOL_SECONDS, WRITE_SECONDS, client, unused_client
from services.models.endpoint_memory import Learned, learned
from services.models.streamed_chat import PiecewiseChatOpenAI
from services.run.roles import RoleModel


def openai_chat(
    model: RoleModel,
    max_tokens: int,
    response_format: dict[str, Any] | None,
    stream: bool,
    on_piece: Callable[[Sign, str], None] | None,
) -> BaseChatModel:
    """Build the chat model that makes one attempt at a call; `chat.build` describes the arguments."""
    known = learned(model)
    body: dict[str, Any] = {**_limit(model, known, max_tokens), **model.extra, **model.sampling}
    if response_format is not None:
        body["response_format"] = response_format
    return PiecewiseChatOpenAI(
        model=model.model,
        base_url=model.base_url,
        api_key=model.api_key or SecretStr("none"),
        temperature=None if "temperature" in known.refused else model.temperature,
        timeout=httpx2.Timeout(model.timeout, connect=CONNECT_SECONDS, write=WRITE_SECONDS, pool=POOL_SECONDS),
        max_retries=0,
        stream_chunk_timeout=None,  # `stall_limited` limits the time
        stream_usage="stream_options" not in known.refused,
        streaming=stream and "stream" not in known.refused,
        piecewise="stream" not in known.refused,
        on_piece=on_piece,
        use_responses_api=False,
        http_async_client=client(),
        http_client=unused_client(),
        extra_body=body,
    )


def _limit(model: RoleModel, known: Learned, max_tokens: int) -> dict[str, int]:
    """Return the output limit under the parameter name that the endpoint knows: OpenAI renamed it, most other servers did not."""
    renamed = model.base_url is None or "api.openai.com" in model.base_url
    if "max_tokens" in known.refused:
        renamed = True
    if "max_completion_tokens" in known.refused:
        renamed = False
    return {"max_completion_tokens" if renamed else "max_tokens": max_tokens}
