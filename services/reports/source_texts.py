"""Texts of sources in a bundle: uncompressed if the report links to them, so that readers can open them, else compressed."""

import gzip
import re
import zlib

from schemas.evidence import Source
from services.reports.references import link_of, stored_text
from services.run.errors import BundleError

MAX_TEXT_BYTES = 50_000_000
"""Maximum bytes of a text that is stored compressed; larger ones stay uncompressed. A hostile bundle may hold a file that unpacks to terabytes."""
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"sources/(?:(?P<hash>[0-9a-f]{64})|(?P<number>[0-9]{2,9})-[\w-]{1,80}+)\.txt(?P<packed>\.gz)?")
_GZIP = 31
"""zlib's parameter for gzip with the largest window."""


def is_text_name(source: Source) -> bool:
    """Tell whether a source's text in a bundle lies where it belongs: by its number and name, or by its hash as in versions 1 and 2."""
    name = _NAME.fullmatch(source.file)
    linked = link_of(source) == stored_text(source)
    if name is None or not _HASH.fullmatch(source.content_hash) or (name["packed"] and linked):
        return False
    return name["hash"] == source.content_hash or name["number"] == f"{source.number or 0:02d}"


def text_file(source: Source, text: str) -> tuple[str, bytes]:
    """Return the name and bytes of a source's text file; the bytes depend only on the text."""
    plain = stored_text(source)
    data = text.encode()
    if link_of(source) == plain or len(data) > MAX_TEXT_BYTES:
        return plain, data
    return f"{plain}.gz", gzip.compress(data, mtime=0)


def unpacked(name: str, data: bytes) -> bytes:
    """Return the text in a bundle's file, as bytes.

    Raises:
        BundleError: the gzip file is incomplete, or unpacks to more than `MAX_TEXT_BYTES`.
    """
    if not name.endswith(".gz"):
        return data
    unpacking = zlib.decompressobj(_GZIP)
    try:
        text = unpacking.decompress(data, MAX_TEXT_BYTES + 1)
    except zlib.error as error:
        raise BundleError(f"{name} is not a gzip file ({error}). Write the report again.") from None
    if len(text) > MAX_TEXT_BYTES:
        raise BundleError(f"{name} unpacks to more than {MAX_TEXT_BYTES // 1_000_000} MB, which no source's text has.")
    if not unpacking.eof or unpacking.unused_data:
        raise BundleError(f"{name} is not one whole gzip file. Write the report again.")
    return text
