"""Search terms with words of one family made one, and how much each is worth among the sentences at hand."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from services.search.tokens import has_cjk, tokens

_FAMILY_LISTS = (
    "born birth birthplace 出生 生于 诞生",
    "die died dead death 去世 逝世 病逝",
    "write wrote written writer author 作者 撰写",
    "found founded founder establish created 成立 创立 创办 创建",
    "locate located situated lie lies 位于 坐落",
    "deep depth deeper deepest 深度 水深",
    "high height tall taller tallest highest 高度 海拔",
    "long length longer longest 长度",
    "wide width wider 宽度",
    "heavy weigh weight heavier 重量",
    "far distance 距离",
    "fast speed faster quick 速度",
    "old age aged 年龄",
    "cost price 价格 费用",
    "build built builder construct construction 建造 修建",
    "win won winner 获奖 夺冠",
    "begin began begun start started 开始",
    "lead led leader leading",
    "sink sank sunk",
    "sell sold sale",
    "grow grew grown growth",
    "buy bought purchase",
    "teach taught teacher",
    "make made maker",
    "think thought",
    "dive dived dives descend descended descent 下潜",
    "nationality citizen national country",
    "invent inventor invention 发明",
    "wife husband marry married spouse 妻子 丈夫 结婚",
    "film movie 电影",
)
_FAMILIES = {
    key: words.split()[0] for words in _FAMILY_LISTS for word in words.split() for key in (tokens(word) or [word])[:1]
}
_SUFFIX = re.compile(r"(?:ations?|ements?|ments?|ions?|ors?|ers?|ally|ly|al|ity|ness|ance|ence|ive|able|ous)$")


@lru_cache(maxsize=65536)
def _family(token: str) -> str:
    if token in _FAMILIES:
        return _FAMILIES[token]
    base = _SUFFIX.sub("", token) if token.isascii() and len(token) > 5 else token
    return _FAMILIES.get(base, base) if len(base) >= 4 else token


@lru_cache(maxsize=8192)
def terms(text: str) -> tuple[str, ...]:
    """Return the search terms of a text with words of one family made one (`inventor`, `invented`)."""
    return tuple(_family(token) for token in tokens(text))


def worth(wanted: Iterable[str], held: Sequence[frozenset[str]], text: str) -> dict[str, float]:
    """Weigh terms by how rare they are among sentences (smoothed idf).

    Pairs of Chinese characters are also weighed by how much they are a word of their own: two characters that mostly
    stand together are one, two that merely met are not.

    Args:
        wanted: the terms to weigh.
        held: the terms of each sentence.
        text: all sentences together.
    """
    counts = Counter(term for one in held for term in one)
    chars = Counter(text) if has_cjk(text) else Counter[str]()
    total = len(held) or 1
    found = {}
    for term in dict.fromkeys(wanted):
        weight = max(0.2, math.log((total + 1) / (counts[term] + 0.5)))
        if len(term) == 2 and has_cjk(term):
            together = text.count(term)
            apart = (chars[term[0]] or 1) * (chars[term[1]] or 1)
            weight *= 0.25 + 0.75 * min(1.0, together / math.sqrt(apart) * 1.5)
        found[term] = weight
    return found
