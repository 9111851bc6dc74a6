"""Bytes to text, with the name of the encoding."""

import codecs

from services.search.convert import decode

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NO_CHARACTERS = {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}


def decoded(data: bytes, encoding: str | None) -> tuple[str, str]:
    """Decode text.

    Args:
        data: what the file holds.
        encoding: as the caller names it; None to find out.

    Returns:
        The text and the name of its encoding.

    Raises:
        ValueError: it is no text, is not in this encoding, or there is no such encoding.
    """
    if encoding is not None:
        return _as_told(data, encoding)
    text = decode(data)
    for name in ("utf-16",) if data.startswith(_UTF16) else ("utf-8-sig", "gb18030"):
        try:
            if data.decode(name) == text:
                plain = name == "utf-8-sig" and not data.startswith(codecs.BOM_UTF8)
                return text, "utf-8" if plain else name
        except UnicodeDecodeError:
            continue
    return text, _likeliest(data)


def _as_told(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError):
        raise ValueError(f"there is no encoding {encoding[:40]!r}; leave it out to have it found out") from None
    if codec.name.replace("-", "_") in _NO_CHARACTERS or not getattr(codec, "_is_text_encoding", True):
        raise ValueError(f"{encoding[:40]!r} is no encoding of text; leave it out to have it found out")
    try:
        return data.decode(codec.name), codec.name
    except UnicodeError:
        raise ValueError(f"it is not in {codec.name}; leave the encoding out to have it found out") from None


def _likeliest(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:1_000_000]).best()
    return best.encoding if best is not None else "unknown"
