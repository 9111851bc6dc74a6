"""Figures: which quotes hold one."""

import re

from services.text.measures import MEASURED_KINDS, measure_at
from services.text.names import names
from services.text.numbers import quantities_with_places

_YEAR = re.compile(r"[12]\d{3}$")
_DIGIT = re.compile(
    r"\d|[一二三四五六七八九十百千万亿]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|hundred|thousand)\b"
)


def has_figure(quote: str) -> bool:
    """Tell whether a quote has a number that is neither a date nor a year, nor part of a name: `PEP 703`, `Python 3.13`."""
    if _DIGIT.search(quote) is None:
        return False
    text, placed = quantities_with_places(quote)
    named = tuple(f"{name} " for name in names(text))
    return any(
        quantity.kind == "percent"
        or (
            quantity.kind == "number"
            and not _YEAR.match(quantity.text)
            and (measure_at(text, start, end, quantity).kind in MEASURED_KINDS or not text[:start].endswith(named))
        )
        for start, end, quantity in placed
    )
