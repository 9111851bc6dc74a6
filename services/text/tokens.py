"""Words of a text as search sees them: stems, short pieces in scripts that put no blanks between words, numbers without separators."""

import re
from functools import lru_cache
from itertools import chain

from services.text.normal_form import normal_form

_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff"
_HANGUL = r"\uac00-\ud7a3"
_UNSPACED = r"\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer, which put no blanks between words, with their vowel signs."""
_INDIC = r"\u0900-\u0963\u0971-\u0dff"
"""Scripts of India, whose vowel signs are no letters to Python."""
_LETTER = rf"(?:[^\W\d_{_CJK}{_HANGUL}{_UNSPACED}]|[{_INDIC}])"
_PIECE = re.compile(rf"[{_CJK}]+|[{_HANGUL}]+|[{_UNSPACED}]+|\d+(?:[.,]\d+)*|{_LETTER}+(?:['’]{_LETTER}+)?")
_ASCII_PIECE = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*")
"""Likewise where there is nothing but ASCII, three times as fast."""
_IS_HANGUL, _IS_UNSPACED = re.compile(f"[{_HANGUL}]"), re.compile(f"[{_UNSPACED}]")
_POINTS = re.compile(r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670]")
"""Vowel points of Hebrew and Arabic, which most texts leave out."""
_CYRILLIC_ENDING = re.compile(r"(?<=[а-яёіїєґў]{3})(?:[аеёиоуыэюяіїєйьъ]{1,6}(?:[мхв][аеёиоуыэюяіїєйьъ]{0,6})?)$")
"""Endings of words of Slavic languages: vowels, and one of the consonants of their cases among them."""
_IS_CJK = re.compile(rf"[{_CJK}]")
_NOT_CHINESE = re.compile(r"[\u3040-\u30ff\uac00-\ud7a3]")
_ACCENTED = re.compile(r"[\u00e0-\u024f\u1e00-\u1eff]")
_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")

STOP_WORDS = frozenset(
    "a an and are as at be been being but by did do does for from had has have he her his how i if in into is it its of on or "
    "our she so some such than that the their them then there these they this those to was we were what when where which who "
    "whom whose why will with would you your about after also any can could may might must not no nor own per same should "
    "very between during each more most other over under up us me my many much did many please tell give list name".split()
)
CJK_STOP = frozenset(
    "的 了 是 在 和 与 及 或 为 对 从 到 被 把 由 于 以 之 其 也 都 而 就 有 个 这 那 哪 吗 呢 吧 啊 么 什 何 谁 几 多 少 怎 样 请 问 它 他 她 们 我 你 您".split()
)


def has_cjk(text: str) -> bool:
    """Tell whether a text has a Chinese or Japanese character."""
    return _IS_CJK.search(text) is not None


def message_language(text: str) -> str:
    """Return the language of messages about a text: `zh` where it is Chinese, else `en`. Kana or hangul make it another one."""
    return "zh" if has_cjk(text) and not _NOT_CHINESE.search(text) else "en"


def pieces(text: str) -> list[str]:
    """Return words, numbers and runs of CJK characters of a text, in lower case, without accents and in order."""
    if text.isascii():
        return _ASCII_PIECE.findall(text.lower())
    plain = _POINTS.sub("", normal_form("NFKC", text)).lower()
    if _ACCENTED.search(plain):
        plain = normal_form("NFC", _ACCENTS.sub("", normal_form("NFD", plain)))
    return _PIECE.findall(plain)


def tokens(text: str, *, keep_stop_words: bool = False) -> list[str]:
    """Return the search terms of a text, in order.

    Words are lower-cased, lightly stemmed and lose their accents, which many people leave out; runs of CJK characters and Korean
    syllables become overlapping pairs, and those of Thai and its like triples (what is shorter stays); thousands separators are
    dropped. Stop words are left out unless kept.
    """
    return list(chain.from_iterable(_terms_of(piece, keep_stop_words) for piece in pieces(text)))


@lru_cache(maxsize=65536)
def _terms_of(piece: str, keep_stop_words: bool) -> tuple[str, ...]:
    if not piece.isascii() and _IS_CJK.match(piece):
        return tuple(_bigrams(piece, keep_stop_words))
    if not piece.isascii() and _IS_HANGUL.match(piece):
        return _pieces_of(piece, 2)
    if not piece.isascii() and _IS_UNSPACED.match(piece):
        return _pieces_of(piece, 3)
    if piece[0].isdigit():
        return (re.sub(r",(?=\d{3})", "", piece),)
    return (stem(piece),) if keep_stop_words or piece not in STOP_WORDS else ()


def _pieces_of(run: str, length: int) -> tuple[str, ...]:
    return tuple(run[place : place + length] for place in range(max(1, len(run) - length + 1)))


def _bigrams(run: str, keep_stop_words: bool) -> list[str]:
    if len(run) == 1:
        return [run] if keep_stop_words or run not in CJK_STOP else []
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    if keep_stop_words:
        return pairs
    return [pair for pair in pairs if not (pair[0] in CJK_STOP or pair[1] in CJK_STOP)]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Take off English plural, possessive and common verb endings (a light form of Porter's first step), and Slavic endings in Cyrillic."""
    word = re.sub(r"['’]s?$", "", word)
    if len(word) < 4 or not word.isascii():
        return _CYRILLIC_ENDING.sub("", word)
    for ending, replacement in (("sses", "ss"), ("ies", "y"), ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", "")):
        if word.endswith(ending):
            word = word[: len(word) - len(ending)] + replacement
            break
    for ending in ("ingly", "edly", "ing", "ed"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= 3 and re.search(r"[aeiouy]", base):
            word = base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
