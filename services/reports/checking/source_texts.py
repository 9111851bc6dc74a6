"""Texts of sources in a bundle: plain where the report links to them, so that a reader can open them, else compressed."""

import gzip
import zlib

from schemas.evidence import Source
from services.reports.source_numbers import link_of
from services.run.errors import BundleError

MAX_TEXT_BYTES = 50_000_000
"""Bytes of a text that is unpacked; larger ones stay plain. A hostile bundle may hold a file that unpacks to terabytes."""
_GZIP = 31
"""What zlib calls a gzip file with the largest window."""


def text_names(content_hash: str) -> tuple[str, str]:
    """Return where the text of a content hash may lie in a bundle: plain, and compressed."""
    plain = f"sources/{content_hash}.txt"
    return plain, f"{plain}.gz"


def text_file(source: Source, text: str) -> tuple[str, bytes]:
    """Return the file of a source's text, its name and its bytes; the same text gives the same bytes each time."""
    plain, compressed = text_names(source.content_hash)
    data = text.encode()
    if link_of(source) == plain or len(data) > MAX_TEXT_BYTES:
        return plain, data
    return compressed, gzip.compress(data, mtime=0)


def unpacked(name: str, data: bytes) -> bytes:
    """Return the text in a file of a bundle, as bytes.

    Raises:
        BundleError: it is not a whole gzip file, or more than `MAX_TEXT_BYTES` comes out of it.
    """
    if not name.endswith(".gz"):
        return data
    unpacking = zlib.decompressobj(_GZIP)
    try:
        text = unpacking.decompress(data, MAX_TEXT_BYTES + 1)
    except zlib.error as error:
        raise BundleError(f"{name} is no gzip file ({error}). Write the report again.") from None
    if len(text) > MAX_TEXT_BYTES:
        raise BundleError(f"{name} unpacks to more than {MAX_TEXT_BYTES // 1_000_000} MB, which no source's text has.")
    if not unpacking.eof or unpacking.unused_data:
        raise BundleError(f"{name} is not one whole gzip file. Write the report again.")
    return text
