"""What a text measures: each number with what it counts, in a common unit, so that two texts' can be compared."""

import math
import re
from dataclasses import dataclass

from services.text.numbers import ROUNDING, Quantity, quantities_with_places
from services.text.tokens import STOP_WORDS, stem, tokens

_KINDS = {
    "length": "m 1 metre|metres|meter|meters|m|米|公尺; km 1000 kilometre|kilometres|kilometer|kilometers|km|千米|公里; "
    "cm 0.01 centimetre|centimetres|centimeter|centimeters|cm|厘米; mm 0.001 millimetre|millimetres|millimeter|"
    "millimeters|mm|毫米; nm 1e-9 nm|纳米; ft 0.3048 foot|feet|ft|英尺; inch 0.0254 inch|inches|英寸; yd 0.9144 yard|yards|码; "
    "fathom 1.8288 fathom|fathoms|英寻; mile 1609.344 mile|miles|英里; nmi 1852 nautical mile|nautical miles|海里",
    "mass": "kg 1 kilogram|kilograms|kilogramme|kilogrammes|kg|公斤|千克; g 0.001 gram|grams|g|克; mg 1e-6 mg|毫克; "
    "t 1000 tonne|tonnes|ton|tons|吨; lb 0.45359237 pound|pounds|lb|lbs|磅",
    "time": "s 1 second|seconds|s|秒|秒钟; min 60 minute|minutes|min|分钟; h 3600 hour|hours|h|小时; day 86400 day|days|天|日; "
    "week 604800 week|weeks|周|星期; month 2629800 month|months|个月; year 31557600 year|years|年",
    "area": "m2 1 square metre|square metres|square meter|square meters|m2|平方米; km2 1e6 square kilometre|"
    "square kilometres|square kilometer|square kilometers|km2|平方公里|平方千米; ha 1e4 hectare|hectares|公顷; mu 666.67 亩",
    "speed": "m/s 1 metres per second|meters per second|m/s|米每秒; km/h 0.27778 km/h|公里每小时|千米每小时; kn 0.51444 knot|knots|节",
    "temperature": "C 1 degrees celsius|degree celsius|°c|摄氏度",
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
_ROUND = 1_000
"""From here on zeros at the end of a number may come from rounding, unsaid: 11,000 m, though not 40 %."""
UNIT_WORDS = frozenset(term for name in _UNITS for term in tokens(name))
"""Search terms that name units, and so say nothing of what is measured."""
_NAMED = "|".join(re.escape(name) for name in sorted(_UNITS, key=len, reverse=True))
_UNIT = re.compile(rf"[\s-]{{0,2}}({_NAMED})(?![A-Za-z])", re.IGNORECASE)
_NOUN = re.compile(r"[\s-]([A-Za-z]{3,})|\s?([\u4e00-\u9fff])")
_MONEY = re.compile(r"([$€£¥])\s*$")


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
        _measure(text, start, end, quantity)
        for start, end, quantity in placed
        if quantity.kind in {"number", "percent"} and not (is_year(quantity) and not _UNIT.match(text, end))
    ]


def is_year(quantity: Quantity) -> bool:
    """Tell whether a bare number can be a year."""
    return quantity.kind == "number" and re.fullmatch(r"[12]\d{3}", quantity.text) is not None


def _measure(text: str, start: int, end: int, quantity: Quantity) -> Measure:
    kind, factor = "", 1.0
    if quantity.kind == "percent":
        kind = "percent"
    elif money := _MONEY.search(text[max(0, start - 3) : start]):
        kind = money.group(1)
    elif unit := _UNIT.match(text, end):
        kind, factor = _UNITS[unit.group(1).lower()]
    elif noun := _NOUN.match(text, end):
        word = (noun.group(1) or noun.group(2)).lower()
        kind = "" if word in STOP_WORDS else stem(word)
    rounded = quantity.approximate or abs(quantity.value) >= _ROUND
    half = (quantity.step if rounded else min(quantity.step, 1.0)) / 2
    return Measure(kind, quantity.value * factor, half * factor, factor, quantity.text)
