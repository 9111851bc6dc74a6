"""Shares and multiples in words that a claim works out from its quotes: `a quarter`, `twice as many`, `三成`."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

from services.evidence.arithmetic import FEW, MAX_OPERANDS, MAX_PARTS, changes, in_one_unit, related, same_place
from services.evidence.comparing_words import BEYOND, LESS, MORE, MORE_AFTER, differs_in
from services.evidence.readings import Number, Reading
from services.text.measures import MEASURED_KINDS
from services.text.shares import Share, shares_of

SHARE = 0.06
"""How far a share in words may be from the share that the quotes give."""


def is_share(number: Number, claim: Reading) -> bool:
    """Tell whether a number is part of a share in words, which is checked as a whole."""
    return any(share.start <= number.place < share.end for share in shares_of(claim.text))


def share_holds(share: Share, claim: Reading, quotes: Sequence[Reading]) -> bool:
    """Tell whether the quotes give a share or a multiple: in words, in percent, or as two numbers of one kind."""
    before, after = claim.text[max(0, share.start - 18) : share.start], claim.text[share.end : share.end + 8]
    given = [value for quote in quotes for value in _given_shares(quote)]
    held = [number for quote in quotes for number in quote.numbers]
    if len(quotes) > 1:
        given += [ratio for pair in _of_few(held) for ratio in (pair[0] / pair[1], pair[1] / pair[0])]
    if differs_in(claim.text):
        given += shares_of_changes(held)
        given += [percent / 100 for percent in changes(related(held), of_percentages=True)]
    given += [1 - value for value in given if value < 1]
    return any(_near(share.value, value, before, after) for value in given)


def _of_few(held: Sequence[Number]) -> Iterator[tuple[float, float]]:
    """Yield the values of two numbers of different quotes in one unit, of which there are few."""
    units: dict[str, list[float]] = {}
    for number in held:
        if number.measure.kind in MEASURED_KINDS - {"percent"} and number.measure.value > 0:
            units.setdefault(number.measure.kind, []).append(number.measure.value)
    for values in units.values():
        yield from combinations(values, 2) if len(values) <= FEW else ()


def _given_shares(quote: Reading) -> Iterator[float]:
    yield from (share.value for share in shares_of(quote.text))
    values = [number for number in quote.numbers if number.measure.value > 0][:MAX_OPERANDS]
    yield from (number.measure.value / 100 for number in values if number.measure.kind == "percent")
    rates = [number.measure.value for number in values if number.measure.kind == "percent"]
    yield from (max(pair) / min(pair) for pair in combinations(rates, 2))
    yield from _of_totals(values)
    for first, other in combinations(values, 2):
        if "percent" not in {first.measure.kind, other.measure.kind} and (
            first.measure.kind == other.measure.kind or same_place(first, other)
        ):
            left, right = in_one_unit(first, other)
            yield from (left / right, right / left, left / (left + right), right / (left + right))


def _of_totals(numbers: Sequence[Number]) -> Iterator[float]:
    """Yield which share each of three and more numbers of one thing has in their total: 31 votes of 31, 17 and 4."""
    clauses: dict[tuple[frozenset[str], str], list[float]] = {}
    for number in numbers:
        if number.row < 0 and number.measure.kind not in {"", "percent"}:
            clauses.setdefault((number.words, number.measure.kind), []).append(number.measure.value)
    for values in clauses.values():
        if 2 < len(values) <= MAX_PARTS:
            yield from (value / sum(values) for value in values)


def shares_of_changes(held: Sequence[Number]) -> Iterator[float]:
    """Yield which share of what there was before a change is: a fifth of `36 million, 6 million more than planned`."""
    for whole, change in permutations(held[:MAX_OPERANDS], 2):
        if change.change and not whole.change and same_place(whole, change):
            left, right = in_one_unit(whole, change)
            yield from (right / base for base in (left - right, left + right) if base > 0)


def _near(share: float, value: float, before: str, after: str) -> bool:
    if MORE.search(before) or MORE_AFTER.match(after):
        return share <= value <= share * BEYOND
    if LESS.search(before):
        return share / BEYOND <= value <= share * (1 + SHARE)
    return math.isclose(share, value, rel_tol=SHARE)
