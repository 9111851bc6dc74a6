"""Likely copies of one text, which `copies.py` then compares: MinHash signatures (Broder, "On the resemblance and containment of documents", 1997)."""

import hashlib
import struct
from collections.abc import Mapping

import numpy as np

from schemas.evidence import Source
from services.text.tokens import tokens

SHINGLE = 3
HASHES = 64
COPY = 0.6
"""Share of equal minima from which two texts may be copies. Copies with another header and footer measure 0.7 and more,
different articles on one subject 0.1 and less; pages of one template lie anywhere between."""
_MASK = (1 << 32) - 1
_COEFFICIENTS = [
    struct.unpack(">QQ", hashlib.blake2b(f"leadline-{place}".encode(), digest_size=16).digest())
    for place in range(HASHES)
]


def fingerprint(text: str) -> str:
    """Return the MinHash signature of a text: 64 minima of 32 bits, as 512 hexadecimal digits; empty for a short text."""
    words = tokens(text, keep_stop_words=True)
    shingles = {" ".join(words[place : place + SHINGLE]) for place in range(len(words) - SHINGLE + 1)}
    if not shingles:
        return ""
    hashed = np.array(
        [
            int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=4).digest(), "big")
            for shingle in sorted(shingles)
        ],
        dtype=np.uint64,
    )
    minima = []
    for a, b in _COEFFICIENTS:
        a32, b32 = np.uint64((a & _MASK) | 1), np.uint64(b & _MASK)
        minima.append(int((((hashed * a32 + b32) >> np.uint64(16)) & np.uint64(_MASK)).min()))
    return "".join(f"{minimum:08x}" for minimum in minima)


def similarity(signature: str, other: str) -> float:
    """Estimate the share of shingles that two texts have in common, from their signatures; 0 to 1."""
    if not signature or not other:
        return 0.0
    equal = [signature[place : place + 8] == other[place : place + 8] for place in range(0, len(signature), 8)]
    return sum(equal) / len(equal)


def may_be_copy(signature: str, other: str) -> bool:
    """Tell whether two signatures are alike enough for their texts to be copies of one; the texts themselves decide."""
    return similarity(signature, other) >= COPY


def root_of(key: str, sources: Mapping[str, Source]) -> str:
    """Return the key of what a source copies in the end, or its own; a circle of copies ends where it closes."""
    seen = {key}
    while (source := sources.get(key)) is not None and source.duplicate_of and source.duplicate_of not in seen:
        key = source.duplicate_of
        seen.add(key)
    return key
