"""Figures: which quotes hold one."""

import re

from services.text.numbers import quantities

_YEAR = re.compile(r"[12]\d{3}$")
_DIGIT = re.compile(
    r"\d|[一二三四五六七八九十百千万亿]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|hundred|thousand)\b"
)


def has_figure(quote: str) -> bool:
    """Tell whether a quote has a number that is neither a date nor a year."""
    if _DIGIT.search(quote) is None:
        return False
    return any(
        quantity.kind == "percent" or (quantity.kind == "number" and not _YEAR.match(quantity.text))
        for quantity in quantities(quote)
    )
