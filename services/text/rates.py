"""Rates of a text: for which time a number is told, as in `400 passengers a day` and `每秒18万次`."""

import re

_TIMES = {
    "second": "second|secondly|秒", "minute": "minute|分钟|分", "hour": "hour|hourly|小时|时", "day": "day|daily|天|日", "week": "week|weekly|周|星期",
    "month": "month|monthly|月", "quarter": "quarter|quarterly|季度|季", "year": "year|yearly|annual|annually|年",
}  # fmt: skip
_NAMES = {name: time for time, names in _TIMES.items() for name in names.split("|")}
_ENGLISH = "|".join(sorted((name for name in _NAMES if name.isascii()), key=len, reverse=True))
_CHINESE = "|".join(sorted((name for name in _NAMES if not name.isascii()), key=len, reverse=True))
_AFTER = re.compile(
    rf"(?:[ -][\w%$€£/-]{{1,16}}){{0,3}}?(?:,? (?:per|an?|each|every) |/)(?P<english>{_ENGLISH})\b|[^，。；、,;\d每]{{0,5}}[/每](?P<chinese>{_CHINESE})",
    re.IGNORECASE,
)
_BEFORE = re.compile(rf"每(?P<chinese>{_CHINESE})[^，。；、,;\d]{{0,8}}$")
IN_A_YEAR = {
    "second": 31_536_000,
    "minute": 525_600,
    "hour": 8_760,
    "day": 365,
    "week": 52,
    "month": 12,
    "quarter": 4,
    "year": 1,
}
"""How often a time goes into a year."""
AFTER, BEFORE = 60, 12
"""Characters after and before a number in which its rate may stand."""


def rate_at(text: str, start: int, end: int) -> str:
    """Return the time for which a number of a text is told: `second` to `year`; empty where it is told for none."""
    if found := _AFTER.match(text, end, end + AFTER):
        return _NAMES[(found["english"] or found["chinese"]).lower()]
    found = _BEFORE.search(text[max(0, start - BEFORE) : start])
    return _NAMES[found["chinese"]] if found else ""
