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
_NOT_NEGATION = re.compile(
    r"\bnot only\b|\b(?:not|n['’]t)\b[^.;]{0,40}\buntil\b|\bno (?:later|fewer|less|more|better|worse|higher|lower|greater) than\b|\bnone (?:of \w+ )?(?:other|later|earlier|more|less|fewer) than\b|\bno\.? \d|不得不|无不|不仅|不但|不同|不断|不少|无论|不过|未来|非常|非洲|无线|不久|不超过|不少于|不低于|不多于|不高于|不大于|不小于|不满|不一(?![定样])|不等|不良|不足|不畅|(?<![找看见听得拿做达想收买查遇碰料])不到|不止|不论|不妨|无几|无异",
    re.IGNORECASE,
)


def negated(text: str) -> bool:
    """Tell whether a text denies something."""
    return denial(text) is not None


def denial(text: str) -> re.Match[str] | None:
    """Return the first word by which a text denies something; words that only look like one are blanked, letter for letter."""
    return _NEGATION.search(_NOT_NEGATION.sub(lambda found: " " * len(found.group()), text))


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
    return int(_RISE.search(text) is not None) - int(_FALL.search(text) is not None)


_UP = (
    r"\b(?:increas\w*|rose|ris(?:e|es|en|ing)|gr[eo]w\w*|climb\w*|gain(?:s|ed|ing)?|jump\w*|widen\w*|improv\w+|expand\w*|rais(?:e|ed|es|ing)|went up|goes up)\b|"
    r"增(?:加|长|幅|至|到)|新增|上升|上涨|上调|提高|提升|升高|升[至到]|涨|扩大|回升|攀升|多[了出]|高出"
)
_DOWN = (
    r"\b(?:decreas\w*|fell|fall(?:s|en|ing)?|declin\w+|dropp?\w*|reduc\w+|slip\w*|shr[aiu]nk\w*|dwindl\w*|lower(?:ed|s|ing)|cut|lost|narrow\w*|sank|"
    r"went down|goes down|came down)\b|"
    r"减(?:少|至|到|幅|产)|下降|下跌|下调|下滑|降[低至到幅]|跌|缩[小减]|回落|萎缩|少了"
)
_CHANGE_BEFORE = re.compile(
    rf"(?P<up>{_UP})|(?P<down>{_DOWN})|(?P<cut>[,;.，；。、]\s?|\b(?:and|but|while|than)\b|[比较而但])", re.IGNORECASE
)
_CHANGE_AFTER = re.compile(
    r"[^,;.，；。\d]{0,16}?\s(?:(?P<up>more|higher|increase|rise|growth)|(?P<down>less|fewer|lower|decrease|decline|drop|fall|reduction))\b(?! than)",
    re.IGNORECASE,
)
_RISE, _FALL = re.compile(_UP, re.IGNORECASE), re.compile(_DOWN, re.IGNORECASE)
BEFORE_CHANGED, AFTER_CHANGED = 48, 32
"""Characters before and after a number in which a word of change belongs to it."""


def change_at(text: str, start: int, end: int) -> tuple[int, str]:
    """Return 1 where something rises by a number or to it, -1 where it falls, with the word that says so; 0 where none does."""
    found, said = 0, ""
    for word in _CHANGE_BEFORE.finditer(text, max(0, start - BEFORE_CHANGED), start):
        found = 1 if word["up"] else -1 if word["down"] else 0
        said = word.group() if found else ""
    if found == 0 and (after := _CHANGE_AFTER.match(text, end, end + AFTER_CHANGED)):
        found, said = (1, after["up"]) if after["up"] else (-1, after["down"])
    return found, said
