"""Whether a claim has the opposite of a word of its quotes in the same place: `high humidity` of `low humidity`."""

import re
from collections.abc import Iterator, Sequence

from services.evidence.readings import Reading, word_keys
from services.evidence.segments import MAX_SEGMENTS, Segments, Turned
from services.text.polarity import COMPARES, negated
from services.text.tokens import has_cjk

BESIDE = 2
"""Words before or after a word among which the same word must stand in both texts."""
_PAIRS = (
    "high higher highest|low lower lowest",
    "large larger big bigger great|small smaller little",
    "fast faster quick quickly quicker speed speeding accelerate accelerated|slow slower slowly slowing slowed",
    "simple simpler easy easier|complex complicated difficult harder",
    "long longer|short shorter",
    "strong stronger|weak weaker",
    "early earlier|late later",
    "wide wider broad|narrow narrower",
    "deep deeper|shallow shallower",
    "heavy heavier|light lighter",
    "hot hotter warm warmer|cold colder cool cooler",
    "dry drier|wet wetter rainy",
    "rich richer|poor poorer",
    "increase increased increasing rise rose|decrease decreased decreasing decline declined reduce reduced fell",
    "improve improved|worsen worsened degrade degraded",
    "north northern|south southern",
    "east eastern|west western",
    "left|right",
    "upper|lower",
    "include included|exclude excluded",
    "allow allowed permit permitted|forbid forbidden ban banned prohibit prohibited",
    "accept accepted approve approved|reject rejected refuse refused",
    "support supported|oppose opposed",
    "expand expanded|shrink shrank",
    "positive|negative",
    "public|private",
    "strengthen strengthened|weaken weakened",
    "rare rarely|common commonly",
    "minimum|maximum",
    "dense denser|sparse sparser",
    "global|local",
    "direct directly|indirect indirectly",
    "internal|external",
    "urban|rural",
    "domestic|foreign",
    "major majority|minor minority",
    "indoor indoors|outdoor outdoors",
    "ancient old older|modern new newer",
    "old older elder elderly|young younger",
    "uphold upheld confirm confirmed|overturn overturned quash quashed annul annulled",
    "grant granted|deny denied refuse refused",
    "open opened reopen reopened|close closed shut",
    "start started begin began|stop stopped end ended",
    "join joined|leave left",
    "hire hired appoint appointed|dismiss dismissed sack sacked",
    "raise raised|lower lowered cut",
    "extend extended lengthen lengthened|shorten shortened",
    "tighten tightened|loosen loosened relax relaxed ease eased",
    "profit|loss",
    "surplus|deficit",
    "import imported imports|export exported exports",
    "voluntary|compulsory mandatory obligatory",
    "temporary|permanent",
)
_OPPOSITES: dict[str, frozenset[str]] = {}
_SAME: dict[str, frozenset[str]] = {}
for _pair in _PAIRS:
    _sides = [frozenset(word_keys(side)) for side in _pair.split("|")]
    for _mine, _other in (_sides, _sides[::-1]):
        for _word in _mine:
            _OPPOSITES[_word] = _OPPOSITES.get(_word, frozenset()) | _other
            _SAME[_word] = _SAME.get(_word, frozenset()) | _mine
_CHINESE = "高低 大小 南北 东西 快慢 多少 强弱 早晚 前后 上下 升降 增减 长短 深浅 冷热 干湿 左右 内外 进出 公私 正负 胜负 新旧 远近".split()
_OPPOSITE_CHARACTER = {pair[side]: pair[1 - side] for pair in _CHINESE for side in (0, 1)}


def opposed_words(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim has an opposite where its quotes have the word itself, with the same words around it."""
    segments = [segment for quote in quotes for segment in quote.segments]
    for mine in claim.segments[:MAX_SEGMENTS]:
        for word, opposite in _opposed_chinese(mine, segments) if has_cjk(mine) else _opposed(mine, segments):
            if opposite:
                return Turned("opposite", (word,), sure=False)
    return None


def _opposed(mine: str, segments: Sequence[str]) -> Iterator[tuple[str, bool]]:
    keys = word_keys(mine)
    texts = [(word_keys(text), text) for text in segments]
    for place, word in enumerate(keys):
        if word not in _OPPOSITES or _OPPOSITES[word] & set(keys):
            continue
        before, after = _beside(keys, place)
        opposed = same = False
        for theirs, text in texts:
            for there, other in enumerate(theirs):
                if other not in _OPPOSITES[word] | _SAME[word]:
                    continue
                their_before, their_after = _beside(theirs, there)
                if not (before & their_before or after & their_after):
                    continue
                if other in _SAME[word] or _turns(mine, text):
                    same = True
                else:
                    opposed = True
        yield word, opposed and not same


def _turns(mine: str, text: str) -> bool:
    """Tell whether two texts may say the same with opposite words: with a denial, or as a comparison from the other side."""
    return negated(mine) is not negated(text) or bool(COMPARES.search(mine) and COMPARES.search(text))


def _beside(keys: Sequence[str], place: int) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(keys[max(0, place - BESIDE) : place]), frozenset(keys[place + 1 : place + 1 + BESIDE])


_VERBS_CHINESE = (
    "支持|驳回 反对 否决", "批准|否决 驳回", "通过|否决", "维持|改判 推翻 撤销", "允许|禁止", "接受|拒绝", "赞成|反对", "同意|反对 拒绝", "盈利|亏损", "提前|推迟 延期 延后", "恢复|暂停 中止",
    "开放|关闭", "上调|下调", "延长|缩短", "放宽|收紧", "扩大|缩小", "承认|否认", "录用|解雇", "胜诉|败诉", "买入|卖出", "合并|拆分", "增持|减持",
)  # fmt: skip
_OPPOSITE_VERBS: dict[str, set[str]] = {}
for _pair in _VERBS_CHINESE:
    _left, _right = (side.split() for side in _pair.split("|"))
    for _mine_words, _other_words in ((_left, _right), (_right, _left)):
        for _word in _mine_words:
            _OPPOSITE_VERBS.setdefault(_word, set()).update(_other_words)
BEHIND = 12
"""Characters behind a Chinese verb among which its object is looked for."""


def opposed_verbs(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a Chinese claim has the opposite of a verb of its quotes with the same object: `支持反诉` of `驳回其反诉`."""
    segments = [segment for quote in quotes for segment in quote.segments]
    for mine in claim.segments[:MAX_SEGMENTS] if has_cjk(claim.text) else ():
        for verb, opposites in _OPPOSITE_VERBS.items():
            if verb not in mine or negated(mine):
                continue
            told = _objects(mine, verb)
            against = [
                text
                for text in segments
                for word in opposites
                if word in text and not negated(text) and told & _objects(text, word)
            ]
            if against and not any(verb in text and told & _objects(text, verb) for text in segments):
                return Turned("opposite", (verb,), sure=False)
    return None


def _objects(text: str, verb: str) -> frozenset[str]:
    place = text.find(verb) + len(verb)
    return frozenset(word_keys(re.split("[、，；]", text[place : place + BEHIND])[0]))


def _opposed_chinese(mine: str, segments: Sequence[str]) -> Iterator[tuple[str, bool]]:
    for place in range(1, len(mine) - 1):
        opposite = _OPPOSITE_CHARACTER.get(mine[place])
        if opposite is None:
            continue
        around = mine[place - 1], mine[place + 1]
        if not all(map(has_cjk, around)):
            continue
        own, other = (f"{around[0]}{middle}{around[1]}" for middle in (mine[place], opposite))
        holding = [text for text in segments if other in text]
        yield own, bool(holding) and not any(own in text or _turns(mine, text) for text in holding)
