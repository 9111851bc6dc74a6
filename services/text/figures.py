"""Figures: which descriptions ask for them, and which quotes hold one."""

import re

from services.text.numbers import quantities

_FIGURES = re.compile(
    r"\b(?:how (?:many|much|often|long|large|big|high)|figures?|numbers?|numeric\w*|percent\w*|shares?|rates?|ratios?|amounts?|"
    r"costs?|prices?|statistic\w*|counts?|quantit\w+|data points?|sizes?|volumes?|growth|revenues?|budgets?|dimensions?)\b|%|"
    r"数字|数据|数值|数量|比例|比率|百分|多少|几成|金额|价格|费用|成本|统计|规模|增长率|占比|指标",
    re.IGNORECASE,
)
_YEAR = re.compile(r"[12]\d{3}$")
_DIGIT = re.compile(
    r"\d|[一二三四五六七八九十百千万亿]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half|hundred|thousand)\b"
)


def wants_figures(text: str) -> bool:
    """Tell whether a description asks for figures."""
    return _FIGURES.search(text) is not None


def has_figure(quote: str) -> bool:
    """Tell whether a quote has a number that is neither a date nor a year."""
    if _DIGIT.search(quote) is None:
        return False
    return any(
        quantity.kind == "percent" or (quantity.kind == "number" and not _YEAR.match(quantity.text))
        for quantity in quantities(quote)
    )
