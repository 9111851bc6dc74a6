"""Whether a superlative of a claim is one that its quotes have, or bear, and reaches no further than theirs."""

import re
from collections.abc import Iterator, Sequence

from services.evidence.readings import Reading
from services.evidence.segments import Segments, Turned

_SUPERLATIVE = re.compile(
    r"\b(?:the (?:most|least) (?!from\b|when\b|with\b|over\b|between\b|during\b)(\w{4,})|(\w{3,}?)(?:iest|est))\b|最(?![终后近初])([\u4e00-\u9fff])",
    re.IGNORECASE,
)
_RANKS = re.compile(
    r"\b(?:only|unique\w*|top|first|last|main|chief|leading|primar\w+|record|than (?:any|all|every)|all other|no other|none of|unmatched|unrivall?ed|maximum|minimum|"
    r"compared|ahead of|exceed\w*|outnumber\w*|dominat\w+|major\w*|predominant\w*|\w{2,}er than|(?:more|less|fewer) \w+ than)\b|"
    r"唯一|第一|首|冠|主要|主体|主力|主导|为主|之王|比|于|超过|未有|空前|[极顶]|纪录|记录",
    re.IGNORECASE,
)
"""What ranks things in other words than a superlative."""
_NOT_SUPERLATIVE = frozenset(
    "int inter for h contr req mod b gu t qu ear hon nor har inv dig prot sugg arr l r w at fin fur".split()
)
_GROUPS = ("多高大贵重强严", "少低小轻弱", "早先", "晚后", "有知著出")
"""Chinese adjectives that a superlative of one measure may use one for the other: the dearest costs the most, and 最有名 is 最著名."""
_INTENSE = frozenset("steep sharp strong great larg bigg heav".split())
_REACHES = (
    r"\b(?:world\w*|global\w*|earth|planet|anywhere)\b|世界|全球|国际",
    r"\b(?:nation\w*|country\w*)\b|全国|国内|我国",
    r"\b(?:ever|history|all time|of all time)\b|史上|历史上|有史以来|历来|历年",
    r"\bEurope\w*\b|欧洲",
    r"\bAsia\w*\b|亚洲",
)
"""How far a superlative reaches beyond the things that a text speaks of."""
_REACHING = [re.compile(reach, re.IGNORECASE) for reach in _REACHES]


def superlative(claim: Reading, quotes: Sequence[Reading], _: Segments) -> Turned | None:
    """Tell whether a claim has a superlative that the quotes have of something else, that reaches further, or that neither their words nor numbers bear."""
    if further := _further(claim, quotes):
        return Turned("superlative", (further,), sure=False)
    if any(quote.tables for quote in quotes):
        return None
    given = {_group(word) for quote in quotes for word in _superlatives(quote.text)}
    counted = any(len(quote.numbers) > 1 for quote in quotes)
    if not given and (counted or any(_RANKS.search(quote.text) for quote in quotes)):
        return None
    for segment in claim.segments:
        if counted and any(number.text in segment and number.text[0].isdigit() for number in claim.numbers):
            continue  # that it is the number of this is checked
        for word in _superlatives(segment):
            if _group(word) not in given:
                return Turned("superlative", (word,), sure=bool(given) and not counted)
    return None


def _further(claim: Reading, quotes: Sequence[Reading]) -> str:
    """Return how far a superlative of a claim reaches where no quote reaches as far: `in the world` of `in the valley`."""
    segments = [segment for segment in claim.segments if any(_superlatives(segment))]
    for reach in _REACHING:
        for segment in segments:
            found = reach.search(segment)
            if found and not any(reach.search(quote.text) for quote in quotes):
                return found.group()
    return ""


def _group(word: str) -> str:
    return "intense" if word in _INTENSE else next((group for group in _GROUPS if word in group), word)


def _superlatives(text: str) -> Iterator[str]:
    for found in _SUPERLATIVE.finditer(text):
        most, root, chinese = found.groups()
        if root and (root.lower() in _NOT_SUPERLATIVE or root[0].isupper()):
            continue
        yield (most or root or chinese).lower()[:5]
