"""Likely copies of one text, which `copies.py` then compares: MinHash signatures (Broder, "On the resemblance and containment of documents", 1997)."""

import hashlib
import struct
from functools import lru_cache
from operator import eq

import numpy as np

from services.text.tokens import tokens

SHINGLE = 3
HASHES = 64
COPY = 0.6
"""Share of equal minima from which two texts may be copies. Copies with another header and footer measure 0.7 and more,
different articles on one subject 0.1 and less; pages of one template lie anywhere between."""
CONTAINED = 0.7
"""Share of the shorter text that the longer one seems to hold, from which it may be a release with more around it."""
MIN_CONTAINED = 60
"""Runs of words of such a text: a shorter one is a remark that many make."""
MIN_ALIKE = 0.08
"""Share of equal minima below which chance has too large a part in that estimate."""
_DIGITS = 8
"""Hexadecimal digits of one number of a signature."""
_MASK = (1 << 32) - 1
_COEFFICIENTS = [
    struct.unpack(">QQ", hashlib.blake2b(f"leadline-{place}".encode(), digest_size=16).digest())
    for place in range(HASHES)
]


def fingerprint(text: str) -> str:
    """Return the MinHash signature of a text; empty for a short text.

    64 minima of 32 bits, and how many runs of words they are of: 520 hexadecimal digits. Those of versions before 0.2 lack the last.
    """
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
    return "".join(f"{number:08x}" for number in [*minima, min(len(shingles), _MASK)])


def similarity(signature: str, other: str) -> float:
    """Estimate the share of shingles that two texts have in common, from their signatures; 0 to 1."""
    if not signature or not other:
        return 0.0
    equal: int = sum(map(eq, _minima(signature), _minima(other)))
    return equal / HASHES


@lru_cache(maxsize=1_024)
def _minima(signature: str) -> tuple[str, ...]:
    return tuple(signature[place : place + _DIGITS] for place in range(0, HASHES * _DIGITS, _DIGITS))


def may_be_copy(signature: str, other: str) -> bool:
    """Tell whether two signatures are alike enough for their texts to be copies of one; the texts themselves decide."""
    return similarity(signature, other) >= COPY


def may_overlap(signature: str, other: str) -> bool:
    """Tell whether two texts may be copies of one, or one may hold the other, as an article holds the release that it is made of.

    The share of the shorter text that both have in common is estimated from their likeness and from how long they are.
    """
    alike, sizes = similarity(signature, other), sorted((_size(signature), _size(other)))
    if alike >= COPY:
        return True
    if sizes[0] < MIN_CONTAINED or alike < MIN_ALIKE:
        return False
    return alike / (1 + alike) * sum(sizes) >= CONTAINED * sizes[0]


def _size(signature: str) -> int:
    """Return how many runs of words a signature is of; 0 where it does not say."""
    size = signature[HASHES * _DIGITS :]
    return int(size, 16) if size else 0
