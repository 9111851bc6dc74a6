"""Negation, and words that mean the opposite of each other, in English and Chinese sentences."""

import re

_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without|cannot|fail(?:s|ed)?|un(?:able|known|likely))\b|n['’]t\b|[不没未无非]",
    re.IGNORECASE,
)
_OPPOSITES = [
    tuple(re.compile(rf"\b(?:{side})\b" if side.isascii() else side, re.IGNORECASE) for side in pair)
    for pair in (
        (
            r"increas\w+|rose|ris(?:e|es|en|ing)|gr[eo]w\w*|(?:re)?surg(?:e[sd]?|ing|ence)|soar\w*|climb\w*",
            r"decreas\w+|fell|fall(?:s|en|ing)?|declin\w+|dropp?(?:s|ed|ing)?|reduc\w+|plung\w+|slump\w*|dwindl\w+",
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


def negated(text: str) -> bool:
    """Tell whether a text denies something."""
    return _NEGATION.search(text) is not None


def opposite(text: str, around: str) -> tuple[str, ...]:
    """Return the words by which a sentence turns a direction round: `rose` where the text has only `fell`."""
    turned = []
    for pair in _OPPOSITES:
        for side, other in (pair, pair[::-1]):
            word = side.search(text)
            if word and not other.search(text) and not side.search(around) and other.search(around):
                turned.append(word.group())
    return tuple(turned)
