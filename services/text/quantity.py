"""A number, a date or a range of years of a text."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "percent", "date", "years"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, a date, or a stretch of years in a text."""

    text: str
    """As written."""
    kind: Kind
    value: float = 0.0
    """Of a number or a percentage; percentages are not divided by 100."""
    date: tuple[int | None, int | None, int | None] = (None, None, None)
    """Year, month and day of a date, each where given."""
    years: tuple[int, int] = (0, 0)
    """First and last year of a decade or century."""
    step: float = 1.0
    """What the last digit that is not a trailing zero counts: 100 in 4,500."""
    approximate: bool = False
