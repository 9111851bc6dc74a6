"""Decompresses content encodings piece by piece, so that a small answer cannot become a large one before it is counted."""

import zlib
from collections.abc import Iterator

from services.run.errors import PageError

PIECE = 256 * 1024
"""Maximum bytes of one decompression step."""
ACCEPTED = "gzip, deflate"


class Decoder:
    """Decoder of one content encoding: gzip (also with several members), deflate (with or without the zlib header, as servers send both), or none."""

    def __init__(self, wbits: int = 0) -> None:
        """Begin to decode a body of zlib's `wbits`; 0 stands for no encoding."""
        self._wbits = wbits
        self._stream = zlib.decompressobj(wbits) if wbits else None
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of this data, each of at most `PIECE`."""
        if self._stream is None:
            yield data
            return
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
        """Tell whether the data so far is complete."""
        return self._stream is None or self._stream.eof


def decoder_for(encoding: str) -> Decoder:
    """Return the decoder of a Content-Encoding header.

    Raises:
        PageError: the encoding is unknown, or there are several (that is how bombs are packed).
    """
    names = [name for name in (part.strip().lower() for part in encoding.split(",")) if name not in {"", "identity"}]
    match names:
        case []:
            return Decoder()
        case ["gzip" | "x-gzip"]:
            return Decoder(zlib.MAX_WBITS | 16)
        case ["deflate"]:
            return Decoder(zlib.MAX_WBITS)
    raise PageError(f"it is encoded as {', '.join(names)[:60]}, which is not read")


def pieces(decoder: Decoder, data: bytes) -> Iterator[bytes]:
    """Yield the decoded pieces of some data.

    Raises:
        PageError: the data does not have the declared encoding.
    """
    try:
        yield from decoder.feed(data)
    except zlib.error:
        raise PageError("its compressed data is broken") from None
