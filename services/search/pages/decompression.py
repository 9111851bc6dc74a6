"""Decompresses content encodings piece by piece, so that a small answer cannot become a large one before it is counted."""

import sys
import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

from services.run.errors import PageError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE = 256 * 1024
"""Maximum bytes of one decompression step; brotli, which works in blocks, may give twice as many."""
ACCEPTED = "gzip, deflate, br, zstd"
_BROKEN = (zlib.error, brotli.error, zstd.ZstdError)


class Decoder(Protocol):
    """Decoder of one content encoding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of this data, each hardly larger than `PIECE`."""

    def done(self) -> bool:
        """Tell whether the data so far is complete."""


class _Identity:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def done(self) -> bool:
        return True


class _Zlib:
    """Gzip (also with several members) and deflate, with or without the zlib header, as servers send both."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._stream = zlib.decompressobj(wbits)
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            try:
                out = self._stream.decompress(data, PIECE)
            except zlib.error:
                if self._started or self._wbits != zlib.MAX_WBITS:
                    raise
                self._wbits = -zlib.MAX_WBITS
                self._stream = zlib.decompressobj(self._wbits)
                continue
            self._started = True
            yield out
            if self._stream.eof and self._wbits > zlib.MAX_WBITS and self._stream.unused_data.strip(b"\0"):
                data, self._stream = self._stream.unused_data, zlib.decompressobj(self._wbits)
                continue
            data = self._stream.unconsumed_tail
            if self._stream.eof or (not data and len(out) < PIECE):
                return

    def done(self) -> bool:
        return self._stream.eof


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        out = self._stream.process(data, output_buffer_limit=PIECE)
        while out or not self._stream.can_accept_more_data():
            yield out
            out = self._stream.process(b"", output_buffer_limit=PIECE)

    def done(self) -> bool:
        return bool(self._stream.is_finished())


class _Zstandard:
    """Zstandard, also in several frames, with a window of at most 8 MB (RFC 9659)."""

    def __init__(self) -> None:
        self._stream = self._new()

    @staticmethod
    def _new() -> zstd.ZstdDecompressor:
        return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: 23})

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self._stream.eof:
                self._stream = self._new()
            yield self._stream.decompress(data, PIECE)
            data = self._stream.unused_data if self._stream.eof else b""
            if (self._stream.eof and not data) or (not self._stream.eof and self._stream.needs_input):
                return

    def done(self) -> bool:
        return self._stream.eof


def decoder_for(encoding: str) -> Decoder:
    """Return the decoder of a Content-Encoding header.

    Raises:
        PageError: the encoding is unknown, or there are several (that is how bombs are packed).
    """
    names = [name for name in (part.strip().lower() for part in encoding.split(",")) if name not in {"", "identity"}]
    match names:
        case []:
            return _Identity()
        case ["gzip" | "x-gzip"]:
            return _Zlib(zlib.MAX_WBITS | 16)
        case ["deflate"]:
            return _Zlib(zlib.MAX_WBITS)
        case ["br"]:
            return _Brotli()
        case ["zstd"]:
            return _Zstandard()
    raise PageError(f"it is encoded as {', '.join(names)[:60]}, which is not read")


def pieces(decoder: Decoder, data: bytes) -> Iterator[bytes]:
    """Yield the decoded pieces of some data.

    Raises:
        PageError: the data does not have the declared encoding.
    """
    try:
        yield from decoder.feed(data)
    except _BROKEN:
        raise PageError("its compressed data is broken") from None
