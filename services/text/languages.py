"""Detects the language of a text by its script and its commonest words."""

import re

from services.text.tokens import has_cjk

_WORDS_OF = {
    "de-DE": set("der die das und ist wie wer wann welche nicht".split()),
    "fr-FR": set("le les des est une qui quand quelle pourquoi dans".split()),
    "es-ES": set("el los las una quién cuándo qué cuál por cómo".split()),
}

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
    words = set(re.findall(r"\w+", text.lower()))
    best = max(_WORDS_OF, key=lambda language: len(words & _WORDS_OF[language]))
    return best if len(words & _WORDS_OF[best]) >= 2 else "en-US"
