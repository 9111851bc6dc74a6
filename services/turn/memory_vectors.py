"""Compares remembered statements with a question by meaning, with a local embedding model; the vectors are stored."""

import base64
from collections.abc import Sequence

import numpy as np

from schemas.memory import MemoryEntry
from services.embedding.models import fast_model
from services.embedding.vectors import Vectors, pack, unpack


async def with_vectors(entries: Sequence[MemoryEntry]) -> list[MemoryEntry]:
    """Return statements with their vectors; unchanged if no model is installed."""
    model = fast_model()
    if model is None or not entries:
        return list(entries)
    vectors = await model.passages([entry.claim for entry in entries])
    return [
        entry.model_copy(update={"vectors": {model.name: base64.b64encode(pack(row[None])).decode()}})
        for entry, row in zip(entries, vectors, strict=True)
    ]


async def likenesses(question: str, entries: Sequence[MemoryEntry]) -> list[float]:
    """Return the cosine of each statement with a question; 0 without a model, or without a vector of the statement."""
    model = fast_model()
    if model is None or not any(model.name in entry.vectors for entry in entries):
        return [0.0] * len(entries)
    wanted = (await model.query(question))[0]
    return [_cosine(entry.vectors.get(model.name, ""), wanted) for entry in entries]


def _cosine(packed: str, wanted: Vectors) -> float:
    data = base64.b64decode(packed)
    if len(data) != len(pack(wanted[None])):
        return 0.0
    return float(np.clip(unpack(data, len(wanted))[0] @ wanted, -1.0, 1.0))
