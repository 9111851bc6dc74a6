"""Bytes to text, in that encoding of all candidates in which they make the likeliest text."""

import codecs
import re
from collections import Counter
from contextlib import suppress
from functools import cache

from charset_normalizer.constant import FREQUENCIES

_BEGINNING = 1_000_000
"""Bytes from which the encoding is told."""
_SAMPLE = 200_000
"""Bytes by which a guess is judged."""
_SINGLE_BYTE_SAMPLE = 20_000
"""Bytes by which charsets of one byte a character are told apart."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GUESSES = ("cp949", "gb18030", "big5hkscs", "cp932", "euc_jp")
_SINGLE = "cp1252 cp1251 cp1250 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp874 koi8_r iso8859_2 iso8859_5 cp866 mac_roman cp850".split()
"""Charsets of one byte a character that people still have files in, the commonest first: it decides where nothing else does."""
_COMMONEST = 0.2
"""Weight of the commonest characters of a language, which tell apart what makes everyday characters in several encodings."""
GOOD = 0.9
"""Minimum share of everyday characters among those beyond ASCII in a correctly decoded text."""
LEAST_TEXT = 0.95
"""Minimum share of characters of texts in what was decoded as UTF-16 without a mark."""
_BEYOND = 0.7
"""Weight of the letters beyond ASCII in how much a text reads like a language; the others weigh the rest."""
_IN_NO_WORD = re.compile(
    r"(?<=[^\W\d_])[^\w\s'’.\-\x00-\x7f](?=[^\W\d_])|(?<=[a-zà-ÿа-яё])[A-ZÀ-ÞА-ЯЁ](?=[a-zà-ÿа-яё])"
    r"|(?<=[A-Za-z])[\u0370-\u0fff]|[\u0370-\u0fff](?=[A-Za-z])"
)
"""What stands in no word: a symbol between letters, a single capital, and letters of another script."""
CERTAIN = frozenset({"ascii", "utf-8", "utf-8-sig", "utf-16", "iso2022_jp"})
"""Encodings that show by themselves; every other one is a guess."""


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of a file, where bytes that its encoding does not have are replaced, and the name of the encoding.

    Raises:
        ValueError: it is no text.
    """
    name = _detected(data[:_BEGINNING])
    return data.decode(name, "replace"), name


def likeliest(data: bytes) -> tuple[str, float]:
    """Return the likeliest encoding of text that is not UTF-8, and how likely it is, from 0 to 1."""
    sample = data[:_SAMPLE]
    if b"\0" in sample:
        with suppress(ValueError):
            return _utf16(sample), 1.0
    guesses = {name: _guessed(sample, name) for name in _GUESSES}
    best = max(guesses, key=lambda name: guesses[name] + _COMMONEST * _common(sample.decode(name, "replace")))
    if guesses[best] >= GOOD:
        return best, guesses[best]
    return _single_byte(sample) or best, guesses[best]


def _detected(beginning: bytes) -> str:
    if beginning.startswith(_UTF16):
        return "utf-16"
    if b"\x00" in beginning[:8_192]:
        return _utf16(beginning)
    if beginning.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if b"\x1b$" in beginning and _begin(beginning, "iso2022_jp") is not None:
        return "iso2022_jp"
    return "utf-8" if _begin(beginning, "utf-8") is not None else likeliest(beginning)[0]


def _utf16(beginning: bytes) -> str:
    for name in ("utf-16-le", "utf-16-be"):
        text = _begin(beginning, name) or ""
        plain = sum(
            " " <= char <= "~" or char in "\t\n\r" or (char.isalpha() and char < "\u2000") or char in _everyday()
            for char in text
        )
        if text and plain >= LEAST_TEXT * len(text):
            return name
    raise ValueError("it is binary, not text")


def _begin(beginning: bytes, encoding: str) -> str | None:
    """Decode the beginning of a text, which may end amid a character; None where it is not in this encoding."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(beginning, final=len(beginning) < _BEGINNING)
    except UnicodeDecodeError:
        return None


def multibyte(name: str) -> bool:
    """Tell whether an encoding is one of those of Chinese, Japanese and Korean."""
    return name not in {"utf-8"} and any(part in name for part in ("gb", "big5", "932", "949", "euc", "jis", "johab"))


def plausible(sample: bytes, name: str) -> float:
    """Return the share of everyday characters among those beyond ASCII, from 0 to 1.

    Text decoded wrongly decodes to rare ideographs and symbols, or not at all.
    """
    text = sample.decode(name, "replace")
    beyond = [char for char in text if char >= "\x80"]
    if not beyond:
        return 0.5
    broken = 3 * beyond.count("\ufffd")
    if multibyte(name) or name.startswith("utf"):
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
    return plausible(sample, name) * (1.0 if fits else 0.5)


@cache
def _everyday() -> frozenset[str]:
    """Return the characters of nearly all ordinary Chinese, Japanese and Korean text."""
    characters = {chr(code) for code in (*range(0x3001, 0x3020), *range(0x3041, 0x30FF), *range(0xFF01, 0xFF5F))}
    characters |= set("“”‘’„«»…—–·•©®™°±×€£§é\u00a0\u3000")
    for name, lead, trail in (
        ("gb2312", range(0xB0, 0xD8), range(0xA1, 0xFF)),
        ("big5", range(0xA4, 0xC7), (*range(0x40, 0x7F), *range(0xA1, 0xFF))),
        ("euc_jp", range(0xB0, 0xD0), range(0xA1, 0xFF)),
        ("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),
    ):
        characters |= set("".join(bytes((first, second)).decode(name, "ignore") for first in lead for second in trail))
    return frozenset(characters)


def _single_byte(sample: bytes) -> str | None:
    """Return the charset of one byte a character in which a text reads most like a language; None where it is in none."""
    non_ascii = b"\n".join(line for line in sample.splitlines() if not line.isascii())[:_SINGLE_BYTE_SAMPLE]
    scores: dict[str, float] = {}
    for name in _SINGLE:
        try:
            scores[name] = _like_a_language(non_ascii.decode(name))
        except UnicodeDecodeError:
            continue
    return max(scores, key=lambda name: scores[name], default=None)


def _common(text: str) -> float:
    """Return the share of characters beyond ASCII that are among the commonest of one language."""
    beyond = Counter(char for char in text if char >= "\x80")
    return max(sum(beyond[char] for char in alphabet) for alphabet in map(set, FREQUENCIES.values())) / (
        beyond.total() or 1
    )


def _like_a_language(text: str) -> float:
    """Return how much of a text's letters one language has among its commonest, less what stands in no word."""
    letters = Counter(char for char in text.lower() if char.isalpha())
    beyond = Counter({char: count for char, count in letters.items() if char >= "\x80"})
    every = sum(char >= "\x80" for char in text) or 1
    best = max(
        _BEYOND * sum(beyond[char] for char in alphabet) / every
        + (1 - _BEYOND) * sum(letters[char] for char in alphabet) / (letters.total() or 1)
        for alphabet in map(set, FREQUENCIES.values())
    )
    return best - len(_IN_NO_WORD.findall(text)) / every
