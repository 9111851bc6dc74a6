"""Search terms with words of one family made one, and how much each is worth among the sentences at hand."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from services.text.tokens import has_cjk, tokens

_FAMILY_LISTS = (
    "born birth birthplace 出生 生于 诞生; die died dead death 去世 逝世; write wrote written writer author 作者 撰写; "
    "found founded founder establish created 成立 创立 创办 创建; locate located situated lie lies 位于 坐落; deep depth deeper deepest 深度; "
    "high height tall taller tallest highest 高度; long length longer longest 长度; wide width wider 宽度; "
    "heavy weigh weight heavier heaviest 重量; far distance 距离; fast speed faster 速度; old age aged 年龄; cost price 价格 费用; "
    "build built builder construct construction 建造 修建; win won winner; begin began begun start started 开始; "
    "lead led leader leading; sell sold sale; grow grew grown growth; teach taught teacher; make made maker; "
    "invent inventor invention 发明; own owned owner ownership; wife husband marry married spouse; live lived life resident residence; "
    "fly flew flown; sink sank sunk sunken; go went gone; come came; give gave given; speak spoke spoken; break broke broken; "
    "choose chose chosen choice; drive drove driven; eat ate eaten; fall fell fallen; hold held; keep kept; know knew known; "
    "leave left; lose lost loss; meet met; pay paid; ride rode ridden; rise rose risen; run ran; see saw seen; send sent; "
    "shoot shot; sing sang sung; sit sat; sleep slept; spend spent; stand stood; steal stole stolen; strike struck stricken; "
    "swim swam; throw threw thrown; wear wore worn; draw drew drawn; drink drank drunk; bring brought; buy bought; catch caught; "
    "fight fought; hear heard; think thought; seek sought; feed fed; dig dug; sweep swept; blow blew blown; show shown"
)
_FAMILIES = {
    key: words.split()[0]
    for words in _FAMILY_LISTS.split("; ")
    for word in words.split()
    for key in (tokens(word) or [word])[:1]
}
_SUFFIX = re.compile(r"(?:ations?|ements?|ments?|ions?|ors?|ers?|ally|ly|al|ity|ness|ance|ence|ive|able|ous)$")
_GENERIC_WORDS = (
    "year name person people kind type called known first second much many long often main number date time important used made "
    "work different difference compare comparison role play happen figure value reason cause mean average total sum median share "
    "percent ratio table come take took say said something anything anyone someone everything thing find found tell explain describe"
)
_GENERIC_CHINESE = (
    "什么 多少 哪些 哪个 哪年 何时 怎么 怎样 如何 为何 是谁 分别 原因 区别 主要 关系 影响 介绍 情况 方面 以及 哪里"
)
_LOWEST = 0.2
"""Worth of a term that every sentence holds."""
_MET, _WORD = 0.25, 1.5
"""Worth that a pair of Chinese characters keeps in any case, and the steepness with which it rises to that of a word."""


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


GENERIC = frozenset([*terms(_GENERIC_WORDS), *_GENERIC_CHINESE.split()])
"""Terms that say what is wanted of a subject, and nothing of the subject."""


def content(text: str) -> list[str]:
    """Return the terms of a question that say something of its subject, each once; all of them where none does."""
    every = list(dict.fromkeys(terms(text)))
    return [term for term in every if term not in GENERIC] or every


def worth(wanted: Iterable[str], held: Sequence[frozenset[str]], text: str) -> dict[str, float]:
    """Weigh terms by how rare they are among sentences (smoothed idf).

    Pairs of Chinese characters are also weighed by how much they are a word of their own: two characters that mostly
    stand together are one, two that merely met are not.
    """
    counts = Counter(term for own in held for term in own)
    characters = Counter(text) if has_cjk(text) else Counter[str]()
    total = len(held) or 1
    weights: dict[str, float] = {}
    for term in dict.fromkeys(wanted):
        weight = max(_LOWEST, math.log((total + 1) / (counts[term] + 0.5)))
        if len(term) == 2 and has_cjk(term):
            apart = math.sqrt((characters[term[0]] or 1) * (characters[term[1]] or 1))
            weight *= _MET + (1 - _MET) * min(1.0, _WORD * text.count(term) / apart)
        weights[term] = weight
    return weights
