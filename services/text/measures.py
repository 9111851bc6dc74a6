"""Measures of a text: each number with what it counts, in a common unit, so that texts can be compared; and which quotes hold a figure."""

import math
import re
from dataclasses import dataclass

from services.text.held_numbers import ROUNDING
from services.text.names import names
from services.text.numbers import Quantity, quantities_with_places
from services.text.numerals import ENGLISH
from services.text.tokens import STOP_WORDS, stem, tokens

_KINDS = {
    "length": "m 1 metre|metres|meter|meters|m|米|公尺; km 1000 kilometre|kilometres|kilometer|kilometers|km|千米|公里; "
    "cm 0.01 centimetre|centimetres|centimeter|centimeters|cm|厘米; mm 0.001 millimetre|millimetres|millimeter|"
    "millimeters|mm|毫米; nm 1e-9 nm|纳米; ft 0.3048 foot|feet|ft|英尺; inch 0.0254 inch|inches|英寸; yd 0.9144 yard|yards|码; "
    "fathom 1.8288 fathom|fathoms|英寻; mile 1609.344 mile|miles|英里; nmi 1852 nautical mile|nautical miles|海里; AU 1.496e11 astronomical unit|astronomical units|天文单位",
    "mass": "kg 1 kilogram|kilograms|kilogramme|kilogrammes|kg|公斤|千克; 斤 0.5 斤; g 0.001 gram|grams|g|克; mg 1e-6 mg|毫克; "
    "t 1000 tonne|tonnes|ton|tons|吨; kt 1e6 kilotonne|kilotonnes|kt; lb 0.45359237 pound|pounds|lb|lbs|磅",
    "time": "ms 0.001 millisecond|milliseconds|ms|毫秒; s 1 second|seconds|s|秒|秒钟; min 60 minute|minutes|min|分钟; h 3600 hour|hours|h|小时|个小时; day 86400 day|days|天|日; "
    "week 604800 week|weeks|周|星期; month 2629800 month|months|个月; year 31557600 year|years|年; decade 315576000 decade|decades; century 3155760000 century|centuries|个世纪",
    "area": "m2 1 square metre|square metres|square meter|square meters|m2|平方米; km2 1e6 square kilometre|"
    "square kilometres|square kilometer|square kilometers|km2|平方公里|平方千米; ha 1e4 hectare|hectares|ha|公顷; mu 666.67 亩; "
    "acre 4046.86 acre|acres|英亩; sqmi 2.58999e6 square mile|square miles|平方英里; sqft 0.092903 square foot|square feet|平方英尺",
    "speed": "m/s 1 metres per second|meters per second|m/s|米每秒; km/h 0.27778 km/h|公里每小时|千米每小时; kn 0.51444 knot|knots|节",
    "temperature": "C 1 degrees celsius|degree celsius|°c|摄氏度",
    "energy": "Wh 3600 watt-hour|watt-hours|wh|瓦时; kWh 3.6e6 kilowatt-hour|kilowatt-hours|kwh|千瓦时|度电; "
    "MWh 3.6e9 megawatt-hour|megawatt-hours|mwh|兆瓦时; GWh 3.6e12 gigawatt-hour|gigawatt-hours|gwh|吉瓦时; "
    "TWh 3.6e15 terawatt-hour|terawatt-hours|twh; J 1 joule|joules",
    "power": "W 1 watt|watts|瓦; kW 1000 kilowatt|kilowatts|kw|千瓦; MW 1e6 megawatt|megawatts|mw|兆瓦; GW 1e9 gigawatt|gigawatts|gw|吉瓦",
    "pressure": "bar 1e5 bar; Pa 1 pascal|pa; kPa 1000 kpa|千帕; MPa 1e6 mpa|兆帕",
    "volume": "l 0.001 litre|litres|liter|liters|升; m3 1 cubic metre|cubic metres|cubic meter|cubic meters|m3|立方米; ml 1e-6 ml|毫升",
    "frequency": "Hz 1 hertz|hz|赫兹; kHz 1000 kilohertz|khz|千赫",
    "dioptre": "D 1 dioptre|dioptres|diopter|diopters|d|屈光度",
    "people": "person 1 people|persons|person|人|名|人次",
}
_UNITS: dict[str, tuple[str, float]] = {}
"""What a unit measures, and how many of the common unit it is."""
for _kind, _lines in _KINDS.items():
    for _line in _lines.split("; "):
        _, _factor, _names = _line.split(" ", 2)
        _UNITS |= {name: (_kind, float(_factor)) for name in _names.split("|")}
MEASURED_KINDS = frozenset({*_KINDS, "percent", "€", "$", "£", "¥", "kr", "cent"})
"""Kinds of measures that are told by a unit; the others are nouns that are counted."""
_ROUND = 1_000
"""From here on zeros at the end of a number may come from rounding, unsaid: 11,000 m, though not 40 %."""
_NAMED = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_UNIT = re.compile(rf"[\s-]{{0,2}}({_NAMED})(?!['’]?[A-Za-z\d])", re.IGNORECASE)
"""A unit behind a number; in `d’euros` and `10m0s` there is none."""
_NOUN = re.compile(r"[\s-]([A-Za-z]{3,})|\s?([\u4e00-\u9fff])")
_MONEY = re.compile(r"([$€£¥])\s*$")
_CURRENCIES = {
    word: (sign, factor)
    for sign, factor, words in (
        ("€", 1.0, "euro euros eur 欧元"), ("$", 1.0, "dollar dollars usd 美元"), ("£", 1.0, "pounds pound gbp 英镑"),
        ("¥", 1.0, "yuan rmb 元 人民币"), ("kr", 1.0, "crowns kronor kroner krona"), ("cent", 0.01, "cent cents"),
    )
    for word in words.split()
}  # fmt: skip
UNIT_WORDS = frozenset(term for name in (*_UNITS, *_CURRENCIES) for term in tokens(name))
"""Search terms that name units, and so say nothing of what is measured."""
_MONEY_WORD = re.compile(rf"\s?({'|'.join(sorted(_CURRENCIES, key=len, reverse=True))})(?![A-Za-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measure:
    """A number with what it counts."""

    kind: str
    """What is measured (`length`, `percent`, `year`), or the noun that is counted; empty where neither is told."""
    value: float
    """In the kind's common unit."""
    half_step: float
    """Half of what its last digit counts, in the same unit: how exactly it is given."""
    factor: float
    """How many of the common unit the unit is."""
    text: str
    """As written."""

    def agrees(self, other: "Measure") -> bool:
        """Tell whether two of one kind may be the same, one of them rounded or in another unit."""
        exact = max(self.half_step, other.half_step)
        within = exact if self.factor == other.factor else self.half_step + other.half_step
        off = abs(self.value - other.value)
        largest = max(abs(self.value), abs(other.value))
        return math.isclose(self.value, other.value, rel_tol=1e-6) or (off <= within and off <= ROUNDING * largest)


def measures(text: str) -> list[Measure]:
    """Return the numbers of a text that are no dates, with what each counts; years that stand alone are left out."""
    text, placed = quantities_with_places(text)
    return [
        measure_at(text, start, end, quantity)
        for start, end, quantity in placed
        if quantity.kind in {"number", "percent"} and not (is_year(quantity) and not _UNIT.match(text, end))
    ]


def is_year(quantity: Quantity) -> bool:
    """Tell whether a bare number can be a year."""
    return quantity.kind == "number" and re.fullmatch(r"[12]\d{3}", quantity.text) is not None


def unit_of(text: str, end: int) -> tuple[str, float] | None:
    """Return what the unit that follows a place measures, and how many of the common unit it is."""
    unit = _UNIT.match(text, end)
    return _UNITS[unit.group(1).lower()] if unit else None


def measure_at(text: str, start: int, end: int, quantity: Quantity) -> Measure:
    """Return a number of a text with what it counts."""
    kind, factor = "", 1.0
    if quantity.kind == "percent":
        kind = "percent"
    elif money := _MONEY.search(text[max(0, start - 3) : start]):
        kind = money.group(1)
    elif unit := _UNIT.match(text, end):
        kind, factor = _UNITS[unit.group(1).lower()]
    elif money := _MONEY_WORD.match(text, end):
        kind, factor = _CURRENCIES[money.group(1).lower()]
    elif noun := _NOUN.match(text, end):
        word = (noun.group(1) or noun.group(2)).lower()
        kind = "" if word in STOP_WORDS or ENGLISH.fullmatch(word) else "occasion" if word == "times" else stem(word)
    rounded = quantity.approximate or abs(quantity.value) >= _ROUND
    half = (quantity.step if rounded else min(quantity.step, 1.0)) / 2
    return Measure(kind, quantity.value * factor, half * factor, factor, quantity.text)


_DIGITS = re.compile(r"\d[\d,]{0,15}(?:\.\d{1,10})?")


def digits_of(text: str) -> float:
    """Return a number as its digits are written, without its scale: 112.1 of `112.1 thousand`; 0 for one in words."""
    match = _DIGITS.search(text)
    return float(match.group().replace(",", "")) if match else 0.0


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
