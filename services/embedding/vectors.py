"""Vectors as stored in the index: 8 bits per number and one scale per vector, compared by brute force.

A cosine of stored vectors differs from the exact value by less than 0.01.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One row per text."""

_BLOCK = 16_384
"""Rows converted to floating-point numbers at once: 32 MB for 512 dimensions."""
MAX_ENTRIES = 8
"""Maximum number of values in a cache; a matrix of 100,000 passages takes 50 MB."""
Value = TypeVar("Value")


def _row(dimensions: int) -> Any:
    return np.dtype([("scale", "<f4"), ("codes", "i1", (dimensions,))])


def pack(vectors: Vectors) -> bytes:
    """Convert vectors, one per row, to bytes."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-9) / 127
    rows = np.empty(len(vectors), dtype=_row(vectors.shape[1]))
    rows["scale"] = scales
    rows["codes"] = np.rint(vectors / scales[:, None])
    return rows.tobytes()


def unpack(data: bytes, dimensions: int) -> Vectors:
    """Convert bytes to vectors."""
    rows = np.frombuffer(data, dtype=_row(dimensions))
    vectors: Vectors = rows["codes"].astype(np.float32) * rows["scale"][:, None]
    return vectors


class Matrix:
    """The vectors of all passages of an index."""

    def __init__(self, rows: list[tuple[int, bytes]], dimensions: int) -> None:
        """Take (passage id, packed vector) pairs."""
        self.ids = np.array([key for key, _ in rows], dtype=np.int64)
        packed = np.frombuffer(b"".join(data for _, data in rows), dtype=_row(dimensions))
        self._codes = np.ascontiguousarray(packed["codes"])
        self._scales = np.ascontiguousarray(packed["scale"])

    def cosines(self, query: Vectors) -> Vectors:
        """Return the cosine of each passage's vector with the query's vector."""
        cosines = np.empty(len(self.ids), dtype=np.float32)
        for start in range(0, len(cosines), _BLOCK):
            block = slice(start, start + _BLOCK)
            cosines[block] = self._codes[block].astype(np.float32) @ query
        cosines *= self._scales
        return cosines


class Cache(Generic[Value]):
    """Values computed from an index, kept until the index changes."""

    def __init__(self) -> None:
        self._entries: OrderedDict[tuple[str, ...], tuple[int, Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, ...], generation: int, make: Callable[[], Value]) -> Value:
        """Return the cached value of this generation of the index, or compute it."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry[0] == generation:
                self._entries.move_to_end(key)
                return entry[1]
        value = make()
        with self._lock:
            self._entries[key] = generation, value
            self._entries.move_to_end(key)
            while len(self._entries) > MAX_ENTRIES:
                self._entries.popitem(last=False)
        return value
