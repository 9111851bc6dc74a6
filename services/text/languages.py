"""Detects the language of a text by its script and its commonest words, and the direction of its script."""

import re
import unicodedata
from collections import Counter

from services.text.tokens import STOP_WORDS, has_cjk

_WORDS_OF = {
    "de-DE": set("der die das und ist wie wer wann welche nicht".split()),
    "fr-FR": set("le les des est une qui quand quelle pourquoi dans".split()),
    "es-ES": set("el los las una quién cuándo qué cuál por cómo".split()),
}

_OF_SCRIPT = {
    "CYRILLIC": "ru-RU", "GREEK": "el-GR", "ARABIC": "ar", "HEBREW": "he-IL", "THAI": "th-TH", "DEVANAGARI": "hi-IN",
}  # fmt: skip
"""Most common language of a script, by the first word of its letters' names in Unicode."""
_IN_BRACKETS = re.compile(r"[(（][^()（）]{0,100}[)）]")
"""A name in its own language behind a translation."""


def locale_of(text: str) -> str:
    """Return the locale of a text: English where no other language shows."""
    if re.search(r"[\u3040-\u30ff]", text):
        return "ja-JP"
    if re.search(r"[\uac00-\ud7af]", text):
        return "ko-KR"
    if has_cjk(_IN_BRACKETS.sub("", text) if re.search(r"[A-Za-z]", text) else text):
        return "zh-CN"
    scripts = Counter(unicodedata.name(char, "").split(" ")[0] for char in text if char.isalpha())
    if scripts and (locale := _OF_SCRIPT.get(scripts.most_common(1)[0][0])):
        return locale
    words = set(re.findall(r"\w+", text.lower()))
    best = max(_WORDS_OF, key=lambda language: len(words & _WORDS_OF[language]))
    return best if len(words & _WORDS_OF[best]) >= 2 else "en-US"


def direction(text: str) -> str:
    """Return the direction in which most letters of a text are written, as HTML names it: `rtl` for Arabic and Hebrew, else `ltr`."""
    classes = Counter(map(unicodedata.bidirectional, text))
    return "rtl" if classes["R"] + classes["AL"] > classes["L"] else "ltr"


_SCRIPT_OF = {
    language: script
    for script, languages in {
        "CYRILLIC": "ru uk bg mk", "GREEK": "el", "ARABIC": "ar fa ur", "HEBREW": "he", "THAI": "th", "DEVANAGARI": "hi mr ne",
        "BENGALI": "bn", "TAMIL": "ta", "TELUGU": "te", "KANNADA": "kn", "MALAYALAM": "ml", "GUJARATI": "gu", "GURMUKHI": "pa",
        "SINHALA": "si", "KHMER": "km", "LAO": "lo", "ARMENIAN": "hy", "GEORGIAN": "ka", "MYANMAR": "my",
        "HANGUL": "ko", "CJK": "zh yue", "KANA": "ja", "": "sr uz kk mn",
    }.items()
    for language in languages.split()
}  # fmt: skip
"""Script of a language, empty where it has several; the others are written in Latin letters."""
_KANA = 0.05
"""Share of a text's words from which hiragana and katakana make it Japanese."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+")
"""A sign of a script without blanks, or a word: a text in few signs may have many letters in names."""
_NOT_BELOW, _NOT_ABOVE = 0.01, 0.06
"""Shares of a language's commonest words among all words: below the first a text is not in it, above the second it is in no other."""


def is_written_in(text: str, locale: str) -> bool:
    """Tell whether a text may be in a language: false where script or commonest words certainly show another one."""
    language = locale.partition("-")[0].lower()
    scripts = Counter(unicodedata.name(word[0], "").split(" ")[0] for word in _WORD.findall(text))
    if not scripts:
        return True
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    script = "KANA" if kana >= _KANA * scripts.total() else scripts.most_common(1)[0][0]
    wanted = _SCRIPT_OF.get(language)
    if wanted is not None:
        return wanted in {"", script}
    if script != "LATIN":
        return False
    words = re.findall(r"\w+", text.lower())
    shares = {name[:2]: sum(word in common for word in words) / len(words) for name, common in _WORDS_OF.items()}
    if shares.get(language, 0) >= _NOT_BELOW:
        return True
    if language in shares:  # it may hold hardly anything but names
        shares["en"] = sum(word in STOP_WORDS for word in words) / len(words)
    return max(shares.values()) <= _NOT_ABOVE
