"""Looks for the numbers and dates of a claim in what it cites."""

import math
from collections.abc import Sequence
from dataclasses import replace

from services.text.numbers import Quantity, quantities

ROUNDING = 0.05
"""How far, relatively, a number said to be approximate may be off; it must also be right to the digits it shows."""

MOST_MISSING = 100
"""Numbers of a claim that are named as missing; each takes a look at all that the evidence holds."""


def missing_quantities(claim: str, evidence: Sequence[str]) -> list[str]:
    """Return the numbers and dates of a claim, as written, that no evidence text holds.

    Units are not compared. Of a number that can be read in two ways (`9.427`) either will do. A version may be shorter than that of the evidence. A number that is said to be approximate may be a rounded one of the evidence; a date may be
    less exact than that of the evidence, never more; a decade or century may stand for a year within it.
    """
    wanted = quantities(claim)
    return missing_of(wanted, [quantity for text in evidence for quantity in quantities(text)]) if wanted else []


def missing_of(wanted: Sequence[Quantity], held: Sequence[Quantity]) -> list[str]:
    """Return the numbers and dates, as written, that are not among others, by the rules of `missing_quantities`."""
    values = {quantity.value for quantity in held if quantity.kind in {"number", "percent"}}
    missing: dict[str, None] = {}
    for quantity in dict.fromkeys(wanted):
        if not (quantity.kind in {"number", "percent"} and quantity.value in values) and not is_held(quantity, held):
            missing[quantity.text] = None
        if len(missing) == MOST_MISSING:
            break
    return list(missing)


def is_held(wanted: Quantity, held: Sequence[Quantity]) -> bool:
    """Tell whether a number or date is among others, by the rules of `missing_quantities`."""
    if wanted.kind == "date":
        return _date_is_held(wanted, held)
    if wanted.kind == "years":
        first, last = wanted.years
        return any(first <= year <= last for quantity in held for year in _years_of(quantity)) or any(
            first <= quantity.years[0] and quantity.years[1] <= last for quantity in held if quantity.kind == "years"
        )
    if any(_is_version(wanted, quantity) for quantity in held if "version" in {wanted.kind, quantity.kind}):
        return True
    numbers = [quantity for quantity in held if quantity.kind in {"number", "percent"}]
    values = [
        (value, quantity.kind) for quantity in numbers for value in (quantity.value, quantity.other or quantity.value)
    ]
    dates = [quantity.date for quantity in held if quantity.kind == "date"]
    values += [(float(part), "number") for date in dates for part in date if part is not None]
    readings = [wanted]
    scaled = [quantity for quantity in numbers if quantity.unscaled]
    if not wanted.unscaled:  # its text may name the scale elsewhere, as tables do
        values += [(quantity.unscaled, quantity.kind) for quantity in scaled]
    elif any(math.isclose(_scale(quantity), _scale(wanted)) for quantity in scaled):
        readings.append(replace(wanted, value=wanted.unscaled))
    if wanted.other:
        readings.append(replace(wanted, value=wanted.other, step=wanted.step * wanted.other / wanted.value))
    return wanted.kind != "version" and any(_same(one, value, kind) for one in readings for value, kind in values)


def _scale(quantity: Quantity) -> float:
    return quantity.value / quantity.unscaled


def _is_version(wanted: Quantity, held: Quantity) -> bool:
    """Tell whether a version is another, or the shorter name of it: `6.5` of `6.5.2`, `6.5.0` of `6.5`."""
    short, whole = wanted.text, held.text
    while short.endswith(".0"):
        short = short[:-2]
    return f"{whole}.".startswith(f"{short}.")


def _same(wanted: Quantity, value: float, kind: str) -> bool:
    if value == wanted.value:
        return True
    if wanted.kind != kind and kind == "number" and math.isclose(wanted.value, value * 100, rel_tol=1e-9):
        return True
    if not wanted.approximate or not value:
        return False
    off = abs(value - wanted.value)
    return off <= wanted.step / 2 and off <= ROUNDING * abs(value)


def _date_is_held(wanted: Quantity, held: Sequence[Quantity]) -> bool:
    year, month, day = wanted.date
    if month is None:
        return any(year in _years_of(quantity) for quantity in held)
    dates = [quantity.date for quantity in held if quantity.kind == "date"]
    same = [date for date in dates if date[1] == month and (day is None or date[2] == day)]
    if year is None or any(date[0] == year for date in same):
        return bool(same)
    without_year = any(date[0] is None for date in same)
    return without_year and any(year in _years_of(quantity) for quantity in held)


def _years_of(quantity: Quantity) -> list[int]:
    """Return the years that a quantity names: a date's, or a plain number that can be one."""
    if quantity.kind == "date":
        return [quantity.date[0]] if quantity.date[0] is not None else []
    if quantity.kind == "number" and quantity.value.is_integer() and 1000 <= quantity.value <= 2999:
        return [int(quantity.value)]
    return []
