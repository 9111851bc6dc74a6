"""Decodes a page by byte order mark, declaration and likelihood, because declarations are often wrong."""

import codecs
import re
from functools import cache

from charset_normalizer import from_bytes

_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*+=\s*+(?:["']\s*+)?([\w:.-]{2,40})""", re.IGNORECASE)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030", "iso-8859-1": "cp1252",
    "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252", "shift_jis": "cp932",
    "shift-jis": "cp932", "x-sjis": "cp932", "sjis": "cp932", "windows-31j": "cp932", "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949", "big5": "big5hkscs", "x-x-big5": "big5hkscs", "utf8": "utf-8",
    "unicode": "utf-16", "iso-8859-9": "cp1254", "tis-620": "cp874",
}  # fmt: skip
"""Actual encodings of pages by their declared charset (as in the WHATWG's Encoding standard)."""
_GUESSES = ("cp949", "gb18030", "big5hkscs", "cp932", "euc_jp")
_WESTERN = frozenset("àâäáãåæçéèêëíìîïñóòôöõøœúùûüýÿßÀÂÄÁÃÅÆÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØŒÚÙÛÜÝ“”‘’„«»…–—•·°©®™±×€£§¡¿\u00a0\u00ad")
_SAMPLE = 200_000
"""Bytes by which an encoding is judged."""
_GOOD = 0.9
"""Minimum share of everyday characters among those beyond ASCII in a correctly decoded text."""


def decode_page(data: bytes, declared: str | None, *, html: bool = True) -> str:
    """Decode a page.

    Args:
        data: body of the page.
        declared: charset of the Content-Type header, if any.
        html: look for a `<meta charset>`.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    meta = _META.search(data[:8_192]) if html else None
    names = [declared, meta[1].decode("ascii", "replace") if meta else None]
    return data.decode(_choose(data, list(dict.fromkeys(filter(None, map(_known, names))))), "replace")


def _known(name: str | None) -> str | None:
    """Return Python's name of a declared charset, if it decodes bytes to text."""
    if not name:
        return None
    name = name.strip("\"' ").lower()
    try:
        found = codecs.lookup(_WIDER.get(name, name))
        "".encode(found.name)
    except (LookupError, UnicodeError):
        return None
    return found.name


def _choose(data: bytes, declared: list[str]) -> str:
    sample = data[:_SAMPLE]
    if b"\x1b$" in sample:
        return "iso2022_jp"
    if data.isascii():
        return declared[0] if declared and b"\0" in sample else "utf-8"
    if _is_utf8(data) and not (declared and _multibyte(declared[0]) and _plausible(sample, declared[0]) >= _GOOD):
        return "utf-8"
    scored = [(_plausible(sample, name), name) for name in declared]
    for score, name in scored:
        if score >= _GOOD:
            return name
    guesses = {name: _guessed(sample, name) for name in _GUESSES}
    best = max(guesses, key=lambda name: guesses[name])
    if guesses[best] >= _GOOD:
        return best
    if scored and scored[0][0] >= max(0.6, guesses[best] - 0.2):
        return scored[0][1]
    return _single_byte(sample) or (scored[0][1] if scored else best)


def _is_utf8(data: bytes) -> bool:
    """Tell whether a body is UTF-8, except for a few broken or truncated characters."""
    beyond = len(data.translate(None, delete=bytes(range(128))))
    return beyond > 0 and data.decode("utf-8", "replace").count("\ufffd") * 50 <= beyond


def _multibyte(name: str) -> bool:
    return name not in {"utf-8"} and any(part in name for part in ("gb", "big5", "932", "949", "euc", "jis", "johab"))


def _plausible(sample: bytes, name: str) -> float:
    """Return the share of everyday characters among those beyond ASCII, from 0 to 1.

    Text decoded wrongly decodes to rare ideographs and symbols, or not at all.
    """
    text = sample.decode(name, "replace")
    beyond = [char for char in text if char >= "\x80"]
    if not beyond:
        return 0.5
    broken = 3 * beyond.count("\ufffd")
    if _multibyte(name) or name.startswith("utf"):
        return max(0.0, (sum(char in _everyday() for char in beyond) - broken) / len(beyond))
    # A single-byte charset decodes everything; letters indicate it, but Latin text is mostly ASCII.
    letters = [char for char in beyond if char.isalpha()]
    good = len(letters) + sum(char in _everyday() for char in beyond if not char.isalpha())
    latin = [char for char in letters if char < "\u0250"]
    if len(latin) > 0.5 * sum(char.isalpha() for char in text):
        good -= len(latin)
    return max(0.0, (good - broken) / len(beyond))


def _guessed(sample: bytes, name: str) -> float:
    """Return the likelihood of an undeclared charset.

    A guess at Japanese or Korean must also show their own scripts: their bytes overlap with those of Chinese.
    """
    beyond = [char for char in sample.decode(name, "replace") if char >= "\x80"]
    kana = sum("\u3041" <= char <= "\u30fe" for char in beyond) / max(1, len(beyond))
    hangul = sum("\uac00" <= char <= "\ud7a3" for char in beyond) / max(1, len(beyond))
    fits = {"cp932": kana > 0.1, "euc_jp": kana > 0.1, "cp949": hangul > 0.85}.get(name, kana < 0.1)
    return _plausible(sample, name) * (1.0 if fits else 0.5)


@cache
def _everyday() -> frozenset[str]:
    """Return the characters of nearly all ordinary Chinese, Japanese and Korean text."""
    found = {chr(code) for code in (*range(0x3001, 0x3020), *range(0x3041, 0x30FF), *range(0xFF01, 0xFF5F))}
    found |= set("“”‘’„«»…—–·•©®™°±×€£§é\u00a0\u3000")
    for name, lead, trail in (
        ("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)),
        ("big5", range(0xA4, 0xC7), (*range(0x40, 0x7F), *range(0xA1, 0xFF))),
        ("euc_jp", range(0xB0, 0xD0), range(0xA1, 0xFF)),
        ("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),
    ):
        found |= set("".join(bytes((first, second)).decode(name, "ignore") for first in lead for second in trail))
    return frozenset(found)


def _single_byte(sample: bytes) -> str | None:
    """Return the single-byte charset of a text: a Western one if it gives only Western letters."""
    western = [char for char in sample.decode("cp1252", "replace") if char >= "\x80"]
    if sum(char in _WESTERN for char in western) >= 0.98 * len(western) and _plausible(sample, "cp1252") >= _GOOD:
        return "cp1252"
    best = from_bytes(sample[:50_000]).best()
    return best.encoding if best else None
