"""The figures of a computation: of some rows the count, the sum, the mean, a share; and how they are shown."""

import re
import statistics
from dataclasses import dataclass

from services.models.offline.table_program.asking import Ask

_CHINESE_UNITS = {
    "minutes": "分钟", "hours": "小时", "days": "天", "seconds": "秒", "kg": "千克", "EUR": "欧元", "USD": "美元", "metres": "米", "fathoms": "英寻", "miles": "英里",
}  # fmt: skip
_AMOUNT = re.compile(
    r"cost|sales|sold|revenue|amount|quantity|rain|precipitation|\beur\b|\busd\b|销[量售]|额|费|数量|雨|降水|元",
    re.IGNORECASE,
)
"""Names of what adds up over a group."""
_RAIN = re.compile(r"rain|precip|雨|降水", re.IGNORECASE)
"""Of which the highest single value is a matter of its own."""
_AGGREGATES = ("median", "mean", "sum")


@dataclass
class Figure:
    """A result over some rows."""

    value: float
    rows: int
    """How many it was computed from."""
    place: int = -1
    """The row of an extreme value."""


def method(ask: Ask) -> str:
    """Return how a part's figures are made: `count`, `share` of rows, `portion` of a total, `rate`, `median`, `mean`, `sum`, `high` or `low`."""
    if ask.numerator is not None:
        return "share" if ask.measure is None or ask.counts else "portion"
    if ask.rate is not None:
        return "rate"
    if ask.counts or (ask.measure is None and ask.change is None):
        return "count"
    return next((one for one in _AGGREGATES if one in ask.operations), "") or _unnamed(ask)


def _unnamed(ask: Ask) -> str:
    """Choose where the question names no way: totals of what adds up, means of what is compared, else the extreme value."""
    amount = (
        ask.group is not None
        and ask.measure is not None
        and _AMOUNT.search(ask.measure.name.replace("_", " ")) is not None
    )
    if ask.change is not None or ask.operations & {"difference", "ratio", "growth", "compare", "trend"} or ask.compared:
        return "sum" if amount and ask.change is None and _adds(ask) else "mean"
    if ask.single:
        return "low" if ask.low and not ask.high else "high"
    if {"extreme", "ranking"} & ask.operations:
        most = ask.group is not None and re.search(r"\b(?:most|least|fewest)\b|最[多少]", ask.text, re.IGNORECASE)
        if (most or (amount and not _RAIN.search(ask.measure.name if ask.measure else ""))) and _adds(ask):
            return "sum"
        return "mean" if _takes(ask) else "low" if ask.low and not ask.high else "high"
    if {"count", "much"} & ask.operations and ask.measure is not None and ask.measure.unit != "%":
        return "sum" if _adds(ask) else "mean"
    return "mean"


def _takes(ask: Ask) -> bool:
    return (
        ask.group is not None
        and re.search(r"\bt(?:ake|akes|ook)\b|需要|耗时|用时", ask.text, re.IGNORECASE) is not None
    )


def _adds(ask: Ask) -> bool:
    """Tell whether values of a column can be added: not depths, ages, temperatures."""
    name = ask.measure.name if ask.measure else ""
    long = re.search(r"\bhow long\b|多久|多长", ask.text, re.IGNORECASE)
    return not long and not re.search(
        r"depth|\bage\b|temp|height|speed|rate|score|mean|average|[深龄温高率]|平均|percent",
        name.replace("_", " "),
        re.IGNORECASE,
    )


def figure(ask: Ask, rows: list[int], how: str) -> Figure | None:
    """Compute over some rows; None where they hold no value."""
    if how == "count":
        return Figure(len(rows), len(rows))
    if how == "share" and ask.numerator is not None:
        return (
            Figure(100 * len([one for one in rows if one in ask.numerator[1]]) / len(rows), len(rows)) if rows else None
        )
    if how == "portion" and ask.numerator is not None:
        pairs = [(value, one) for one in rows if (value := _value(ask, one)) is not None]
        total = sum(value for value, _ in pairs)
        return (
            Figure(100 * sum(value for value, one in pairs if one in ask.numerator[1]) / total, len(pairs))
            if total
            else None
        )
    if how == "rate" and ask.rate is not None:
        part, whole = ask.rate
        used = [one for one in rows if part.values[one] is not None and whole.values[one] is not None]
        total = sum(whole.values[one] for one in used)
        return Figure(100 * sum(part.values[one] for one in used) / total, len(used)) if total else None
    pairs = [(value, one) for one in rows if (value := _value(ask, one)) is not None]
    if not pairs:
        return None
    values = [value for value, _ in pairs]
    if how in {"high", "low"}:
        value, place = (max if how == "high" else min)(pairs, key=lambda pair: pair[0])
        return Figure(value, len(values), place)
    made = statistics.median(values) if how == "median" else sum(values) if how == "sum" else statistics.fmean(values)
    return Figure(float(made), len(values))


def _value(ask: Ask, place: int) -> float | None:
    if ask.change is not None:
        first, last = ask.change[0].values[place], ask.change[1].values[place]
        return None if first is None or last is None else last - first
    value = ask.measure.values[place] if ask.measure is not None else None
    return None if value is None else float(value)


def shown(value: float, unit: str, chinese: bool, *, exactly: bool = True) -> str:
    """Round for reading, and where wanted give more digits where rounding took some away."""
    value = round(value, 10)
    unit = _CHINESE_UNITS.get(unit, unit) if chinese else unit
    sign = unit if unit == "%" else f" {unit}" if unit else ""
    if float(value).is_integer():
        return f"{int(value):,}{sign}"
    text = format(value, ",.2f" if abs(value) >= 1 else ".3f")
    exact = format(value, ".6g")
    if abs(float(text.replace(",", "")) - value) < 1e-9:
        return f"{text.rstrip('0')}{sign}"
    if not exactly:
        return f"{text}{sign}"
    return f"{text}{sign}（精确值 {exact}{sign}）" if chinese else f"{text}{sign} (exactly {exact}{sign})"
