"""Whether quotes give a claim's numbers, dates and shares: as written, in other units, or worked out from others."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from services.evidence.counted_numbers import counts
from services.evidence.derived_dates import date_follows, month_of_year
from services.evidence.derived_numbers import derivable
from services.evidence.derived_shares import is_share, share_holds
from services.evidence.number_binding import equal
from services.evidence.readings import Number, Reading, period_of, word_keys
from services.text.numbers import is_held, quantities, quantities_with_places
from services.text.quantity import Quantity
from services.text.shares import shares_of

MOST_MISSING = 100
"""Numbers of a claim that are named as missing."""


def missing_numbers(claim: Reading, quotes: Sequence[Reading]) -> list[str]:
    """Return the numbers, dates and shares of a claim, as written, that the quotes neither give nor allow to work out."""
    missing = dict.fromkeys(islice(_missing(claim, quotes), MOST_MISSING))
    return sorted(missing, key=claim.text.find)


def _missing(claim: Reading, quotes: Sequence[Reading]) -> Iterator[str]:
    texts = [quote.text for quote in quotes]
    heads = "\n".join(text for quote in quotes for table in quote.tables for text in table.heads)
    labels = [label for quote in quotes for table in quote.tables for label in table.labels]
    named = {quantity.value for quantity in quantities(heads)}
    for number in claim.numbers:
        if is_share(number, claim) or _part_of_a_name(number, claim, texts) or _part_of_a_label(number, claim, labels):
            continue
        held = any(equal(number, other) for quote in quotes for other in quote.numbers)
        held = held or number.measure.value / number.measure.factor in named
        if not held and not derivable(number, claim, quotes):
            yield number.text
    written = [quantity for text in texts for quantity in quantities(text)]
    text, placed = quantities_with_places(claim.text)
    for start, end, quantity in placed:
        counted = quantity.kind == "number" and counts(text, start, end)  # 1100吨 is no year
        if _is_date(quantity) and not counted and not is_held(quantity, written) and not _follows(quantity, quotes):
            yield quantity.text
    for share in shares_of(claim.text):
        if not share_holds(share, claim, quotes):
            yield claim.text[share.start : share.end]


_LABELLED = re.compile(r"[路号线楼班期届版型室区栋幢团营连队级]")
"""What makes the digits before it a label, as in `8路`: no quantity that could be worked out."""


def _part_of_a_name(number: Number, claim: Reading, texts: Sequence[str]) -> bool:
    """Tell whether a number stands behind a word with a capital or makes a label, and together with it in a quote."""
    if label := _LABELLED.match(claim.text, number.place + len(number.text)):
        return any(f"{number.text}{label.group()}" in text for text in texts)
    found = re.search(r"[A-Z][\w-]{1,30} $", claim.text[max(0, number.place - 32) : number.place])
    return found is not None and any(f"{found.group()}{number.text}" in text for text in texts)


_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")


def _part_of_a_label(number: Number, claim: Reading, labels: Sequence[str]) -> bool:
    """Tell whether a number stands in the label of a row of which the claim has another word, too: `20 mg of the drug` of `Drug 20 mg`."""
    words = frozenset(word_keys(claim.text))
    return any(
        number.text in _FIGURE.findall(label) and words & {key for key in word_keys(label) if not key[0].isdigit()}
        for label in labels
    )


def _is_date(quantity: Quantity) -> bool:
    return quantity.kind == "years" or period_of(quantity) is not None


def _follows(quantity: Quantity, quotes: Sequence[Reading]) -> bool:
    period = period_of(quantity)
    return period is not None and (date_follows(period, quotes) or month_of_year(period, quotes))
