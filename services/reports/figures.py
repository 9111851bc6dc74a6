"""Key figures: numbers with a unit in quoted or supported claims of a report's opening, in its order."""

import re
from collections.abc import Sequence

from schemas.reporter import Report
from services.check.compared_text import CELL
from services.reports.document import KeyFigure, letters
from services.reports.numbered_text import Citations
from services.reports.statuses import SURE, status_of
from services.text.held_numbers import is_held
from services.text.numbers import Quantity, quantities, quantities_with_places

MAX_FIGURES = 4
MAX_CLAIM = 180
"""Maximum characters of a claim on a card."""
_UNIT = re.compile(
    r"\s?(?:(?:square |cubic |nautical )?(?:met(?:re|er)s?|kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|miles?|"
    r"feet|foot|inch(?:es)?|fathoms?|knots?|tonn?e?s?|kilograms?|grams?|lit(?:re|er)s?|years?|months?|weeks?|days?|hours?|"
    r"minutes?|seconds?|people|persons?|patients?|children|participants?|dollars?|euros?|pounds?|ounces?|hectares?|acres?|"
    r"degrees?(?: Celsius| Fahrenheit)?|(?:kilo|mega|giga)?(?:hertz|watts?)|volts?|km²?|m²?|cm|mm|kg|mg|g|"
    r"t|s|ms|Hz|kHz|MHz|GHz|GB|MB|TB|kW|MW|GW|kWh|MWh|°C|K)\b|"
    r"平方公里|平方米|公里|千米|厘米|毫米|英里|海里|英寻|米|公斤|千克|吨|克|毫克|升|亿元|万元|元|美元|人次|名|人|例|个月|年|周|天|小时|分钟|秒|"
    r"度|倍|屈光度|D\b)"
)
_RATE = re.compile(
    r"\s?/\s?(?:min|km²?|m²|kg|[smhl])\b|"
    r"\s(?:per|an?|each|every)\s(?:square |cubic )?(?:second|minute|hour|day|week|month|year|decade|degree|met(?:re|er)|kilomet(?:re|er)|"
    r"mile|foot|person|head|child|patient|thousand|million|lit(?:re|er)|kilogram|tonne?)\b|"
    r"(?:/|每)(?:秒|分钟|小时|天|日|周|月|年|人|平方公里|平方米|公里|千米|米|公斤|千克|升)"
)
"""The denominator of a unit, after it: `per second`, `each degree`, 每秒."""
_RATE_BEFORE = re.compile(
    r"每(?:秒|分钟|小时|天|日|周|个?月|年|人|平方公里|平方米|公里|千米|米|公斤|千克|升)(?:大约|约|平均|为)?\s?$"
)
"""The same before a Chinese number."""
_NAME = re.compile(r"\s?(?:组|浓度|-?(?:groups?|arms?|dose|concentration|strength)\b)")
"""Words after a number that is only a name: the 0.05 % group."""
_CURRENCY = re.compile(r"(?:US\$|[$€£¥])\s?$")
_TO = re.compile(r"\s?(?:[-–—~～至到±]|\+/-|to)\s?(?:US\$|[$€£¥])?\s?")
"""Text between the two numbers of a range, or between a number and its uncertainty."""


def key_figures(report: Report, citations: Citations, opening: str) -> tuple[KeyFigure, ...]:
    """Select numbers of a checked report that matter to its reader: measured, in its opening, not in the question, each once."""
    opening = letters(opening)
    in_question = quantities(report.question)
    figures: dict[str, KeyFigure] = {}
    for claim in report.citations:
        text, status = " ".join(claim.text.split()), status_of(claim)
        fits = status in SURE and len(text) <= MAX_CLAIM and CELL not in text and letters(text) in opening
        if not fits or any(text == figure.claim for figure in figures.values()):
            continue
        value = _figure(text, in_question)
        if not value or value in figures:
            continue
        telling = [claim, *(other for other in report.citations if claim.cited_by == "report" and value in other.text)]
        if cited := next(filter(None, (citations.of_excerpts(told.citations, status) for told in telling)), ()):
            figures[value] = KeyFigure(value, text, cited)
    return tuple(figures.values())[:MAX_FIGURES]


def _figure(claim: str, in_question: Sequence[Quantity]) -> str:
    """Return the measured and new number of a claim, a range in full; empty if it has none, or several outside of brackets."""
    text, numbers = quantities_with_places(claim)
    figures: list[str] = []
    ranged = 0
    for place, (start, end, number) in enumerate(numbers):
        last_end, last = end, number
        if place + 1 < len(numbers) and _TO.fullmatch(text, end, numbers[place + 1][0]):
            _, last_end, last = numbers[place + 1]
        before = _CURRENCY.search(text, 0, start) or _RATE_BEFORE.search(text, 0, start)
        after = _end(text, last_end, last, bare=_CURRENCY.search(text, 0, start) is not None)
        if after and start >= ranged and not is_held(number, in_question) and not _in_brackets(text, start):
            figures.append(text[before.start() if before else start : after].rstrip())
            ranged = last_end
    return figures[0] if len(figures) == 1 else ""


def _in_brackets(text: str, place: int) -> bool:
    return any(text.count(opened, 0, place) > text.count(closed, 0, place) for opened, closed in ("()", "（）"))


def _end(text: str, end: int, number: Quantity, *, bare: bool) -> int:
    """Return the end of a number with its unit; 0 if it is not measured. `bare` numbers have a currency before them."""
    measured = number.kind in {"number", "percent"} and any(char.isdigit() for char in number.text)
    unit = None if number.kind == "percent" else _UNIT.match(text, end)
    last = unit.end() if unit else end
    if not measured or _NAME.match(text, end) or _NAME.match(text, last):
        return 0
    if not unit and not bare and number.kind != "percent":
        return 0
    rate = _RATE.match(text, last)
    return rate.end() if rate else last
