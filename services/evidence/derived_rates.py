"""Rates that a claim works out from its quotes: for another time, for each year, of a table's rate and its row, and areas of two lengths."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from services.evidence.arithmetic import MAX_OPERANDS, in_one_unit
from services.evidence.readings import Number, Reading
from services.text.rates import IN_A_YEAR

RATE = re.compile(r"[（(][^（）()/]{1,12}/[^（）()/]{1,12}[）)]")
"""A unit of a heading that is of each of something: `Yield (t/ha)`."""
EACH_YEAR = re.compile(r"\b(?:per|a|each|every) year\b|\b(?:annual|yearly)|每年|年均", re.IGNORECASE)


def for_each_year(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what the numbers of a quote are for each year from its first to its last."""
    for quote in quotes:
        years = {year for year, _, _ in quote.periods if year is not None}
        span = max(years) - min(years) + 1 if len(years) > 1 else 0
        yield from (number.measure.value / span for number in quote.numbers if span and number.row < 0)


def of_rates(number: Number, quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what a rate of a table comes to with another number of its row: 42 ha with 7.5 t/ha."""
    for quote in quotes:
        rates = {column for table in quote.tables for column, head in enumerate(table.heads) if RATE.search(head)}
        cells = [number for number in quote.numbers if number.row >= 0][:MAX_OPERANDS]
        for rate in (cell for cell in cells if cell.column in rates):
            others = (cell for cell in cells if cell.row == rate.row and cell.column not in rates)
            value = rate.measure.value * (1.0 if rate.measure.kind else number.measure.factor)
            yield from (value * cell.measure.value / cell.measure.factor for cell in others)


def at_another_rate(number: Number, held: Sequence[Number]) -> Iterator[float]:
    """Yield the numbers of quotes for the time for which a claim tells its own: 240,000 a year are 20,000 a month."""
    for other in held if number.rate else ():
        if other.rate and other.rate != number.rate:
            yield other.measure.value * IN_A_YEAR[other.rate] / IN_A_YEAR[number.rate]
        elif not other.rate and other.periods and all(month is None for _, month, _ in other.periods):
            yield other.measure.value / IN_A_YEAR[number.rate]  # of a year


_BY = re.compile(r"\s?(?:metres?|meters?|m|km|cm|mm|feet|ft|米|公里|厘米)?\s?(?:by|x|×|乘以?)\s?")


def areas(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the areas of what quotes give the length and the breadth of: `32 by 11 metres`."""
    for quote in quotes:
        for first, other in pairwise(number for number in quote.numbers if number.row < 0):
            if _BY.fullmatch(quote.text, first.place + len(first.text), other.place):
                left, right = in_one_unit(first, other)
                yield left * right
