"""One request for embeddings to an OpenAI-compatible endpoint."""

from collections.abc import Sequence

import numpy as np
from openai import AsyncOpenAI, OpenAIError

from services.embedding.vectors import Vectors


async def request_embeddings(
    base_url: str | None, key: str, model: str, texts: Sequence[str], seconds: float
) -> tuple[Vectors, int]:
    """Return the vectors of texts, and the endpoint's token count, 0 if it reports none.

    Raises:
        ValueError: the endpoint refused, could not be reached, or sent an invalid answer.
    """
    try:
        async with AsyncOpenAI(base_url=base_url, api_key=key, timeout=seconds) as client:
            answer = await client.embeddings.create(model=model, input=list(texts), encoding_format="float")
        rows = [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]
        return np.array(rows, dtype=np.float32), int(answer.usage.prompt_tokens) if answer.usage else 0
    except (OpenAIError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(" ".join(str(error).split())[:200] or type(error).__name__) from None
