"""Negation, and words that mean the opposite of each other, in English and Chinese sentences."""

import re

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|neither|nor|without|cannot|fail(?:s|ed)?|un(?:able|known|likely))\b|n['’]t\b|[不没未无非]",
    re.IGNORECASE,
)
_OPPOSITES = [
    tuple(re.compile(rf"\b(?:{side})\b" if side.isascii() else side, re.IGNORECASE) for side in pair)
    for pair in (
        (
            r"increas\w+|rose|ris(?:e|es|en|ing)|gr[eo]w\w*",
            r"decreas\w+|fell|fall(?:s|en|ing)?|declin\w+|dropp?(?:s|ed|ing)?|reduc\w+",
        ),
        (r"higher|more|greater|larger|deeper|longer|faster", r"lower|less|fewer|smaller|shallower|shorter|slower"),
        (
            r"highest|most|greatest|largest|deepest|longest|fastest",
            r"lowest|least|fewest|smallest|shallowest|shortest|slowest",
        ),
        (r"before|earlier than", r"after|later than"),
        ("增加|上升|提高|升高|增长|上涨|扩大|加快", "减少|下降|降低|减慢|下跌|缩小|减缓|减轻"),
        ("高于|大于|多于|超过|早于", "低于|小于|少于|不足|晚于"),
        ("有效|有益|支持", "无效|无益|反对"),
    )
]
_CHANGES = (_OPPOSITES[0], _OPPOSITES[4])
"""Of rises and falls, English and Chinese."""
_NOT_NEGATION = re.compile(
    r"\bnot only\b|\b(?:not|n['’]t)\b[^.;]{0,40}\buntil\b|\bno (?:later|fewer|less|more) than\b|\bnone other than\b|\bno\.? \d|不得不|无不|不仅|不但|不同|不断|不少|无论|不过|未来|非常|非洲|无线|不久|不等|不良|不足|不畅|不到|不止|不论|不妨",
    re.IGNORECASE,
)


def negated(text: str) -> bool:
    """Tell whether a text denies something."""
    return _NEGATION.search(_NOT_NEGATION.sub(" ", text)) is not None


def opposite(text: str, around: str) -> tuple[str, ...]:
    """Return the words by which a sentence turns a direction round: `rose` where the text has only `fell`."""
    turned = []
    for pair in _OPPOSITES:
        for side, other in (pair, pair[::-1]):
            word = side.search(text)
            if word and not other.search(text) and not side.search(around) and other.search(around):
                turned.append(word.group())
    return tuple(turned)


def direction(text: str) -> int:
    """Return 1 where a text speaks of a rise, -1 where of a fall, 0 where of neither or both."""
    up, down = (any(pair[side].search(text) for pair in _CHANGES) for side in (0, 1))
    return int(up) - int(down)
