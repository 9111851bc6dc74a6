"""Bytes of a file to text, in the likeliest encoding, told from its beginning."""

import codecs

from charset_normalizer import from_bytes

_BEGINNING = 1_000_000
"""Bytes from which the encoding is told."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes) -> str:
    """Decode text; bytes that its encoding does not have are replaced.

    Raises:
        ValueError: it is no text.
    """
    return data.decode(_found_out(data[:_BEGINNING]), "replace")


def _found_out(beginning: bytes) -> str:
    if beginning.startswith(_UTF16):
        return "utf-16"
    if b"\x00" in beginning[:8_192]:
        raise ValueError("it is binary, not text")
    if beginning.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if _begin(beginning, "utf-8") is not None:
        return "utf-8"
    chinese = _begin(beginning, "gb18030")
    if chinese is not None and _plausible_chinese(chinese):
        return "gb18030"

    best = from_bytes(beginning[:100_000]).best()
    if best is None:
        raise ValueError("its encoding cannot be told")
    return best.encoding


def _begin(beginning: bytes, encoding: str) -> str | None:
    """Decode the beginning of a text, which may end amid a character; None where it is not in this encoding."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(beginning, final=len(beginning) < _BEGINNING)
    except UnicodeDecodeError:
        return None


def _plausible_chinese(text: str) -> bool:
    """Tell whether text decoded as GB18030 is Chinese: mostly common ideographs, ASCII and Chinese punctuation."""
    sample = text[:4_000]
    common = sum(
        char < "\x80" or "\u4e00" <= char <= "\u9fff" or "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uffef"
        for char in sample
    )
    return common >= 0.95 * len(sample)
