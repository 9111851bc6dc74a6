"""Arithmetic over the numbers of quotes: differences, sums, rests, products, shares and percentages of pairs of them.

Pairs must stand near each other in prose, in one row or column of a table, or be of one of few numbers of a unit. More
operations would let any number through: of random wrong numbers about one in seven is some result of some pair.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from services.evidence.readings import Number, Reading
from services.text.measures import MEASURED_KINDS
from services.text.polarity import change_at
from services.text.shares import shares_of

MAX_OPERANDS = 40
"""Numbers of one kind that are tried in pairs."""
NEAR = 120
"""Most characters between two numbers of prose that are calculated with although they count different things."""
FEW = 4
"""Most numbers of a unit that may be shares of each other wherever they stand: with more, some pair gives any share."""
MAX_PARTS = 5
"""Most numbers of a sentence of which one may be the whole and the others its parts."""
MAX_PARALLEL = 8
"""Most numbers of a quote, and most quotes, that are added up place by place."""
_PART = re.compile(
    r"\bof (?:which|whom|them|these|those|the|its|their|his|her|all)\b|\b(?:out of|rest|others?|remaind\w+|remain\w+)\b|"
    r"其中|其余|余下|剩|里有|[名人家户座所个]中",
    re.IGNORECASE,
)
"""What joins parts to their whole."""


_REST = re.compile(r"\b(?:rest|remainder|balance)\b|其余|余下|剩余", re.IGNORECASE)
"""A part that is told without its number."""


def same_place(first: Number, other: Number) -> bool:
    """Tell whether two numbers of prose stand near each other."""
    return first.row < 0 and other.row < 0 and abs(first.place - other.place) < NEAR


def in_one_unit(first: Number, other: Number) -> tuple[float, float]:
    """Return the values of two numbers; one without a unit has that of the other: `sentenced to six years, of which four`."""
    left, right = first.measure.value, other.measure.value
    if not first.measure.kind and other.measure.kind in MEASURED_KINDS:
        left *= other.measure.factor
    if not other.measure.kind and first.measure.kind in MEASURED_KINDS:
        right *= first.measure.factor
    return left, right


def _one_kind(first: Number, other: Number) -> bool:
    return first.measure.kind == other.measure.kind or "" in (first.measure.kind, other.measure.kind)


def differences_and_sums(pairs: Iterable[tuple[Number, Number]], *, differs: bool, adds: bool) -> Iterator[float]:
    """Yield differences and sums of two numbers, where a claim speaks of them or one of the two is a change itself."""
    for first, other in pairs:
        if not _one_kind(first, other) and not same_place(first, other):
            continue
        left, right = in_one_unit(first, other)
        changes_other = first.change or other.change
        if differs or changes_other:
            yield abs(left - right)
        if adds or changes_other:
            yield left + right


def parts_and_wholes(operands: Sequence[Number], quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield the product of a number with a share or multiple that a quote gives, the rest, and the whole that the number is the share of.

    Where something rose or fell by the share, also what there was before: 500 where it grew by a fifth to 600.
    """
    told: list[tuple[float, int, Number | None]] = [
        (share.value, change_at(quote.text, share.start, share.end)[0], None)
        for quote in quotes
        for share in shares_of(quote.text)
    ]
    told += [
        (number.measure.value / 100, number.towards, number)
        for number in operands
        if number.measure.kind == "percent" and not (number.row >= 0 and number.towards)
    ]
    for share, towards, of in told:
        for number in operands:
            beside = of is not None and (same_place(of, number) or of.row == number.row >= 0)
            if number.measure.kind != "percent" and share > 0 and (beside or len(told) <= FEW):
                value = number.measure.value
                yield from (share * value, value / share)
                if share < 1:
                    yield (1 - share) * value
                if share < 1 and towards:
                    yield value / (1 + towards * share)


def _in_their_unit(numbers: Sequence[Number]) -> list[float]:
    """Return the values of numbers; where they have one unit, those without it have it as well: `28 of 35 tonnes`."""
    units = {
        (number.measure.kind, number.measure.factor) for number in numbers if number.measure.kind in MEASURED_KINDS
    }
    factor = units.pop()[1] if len(units) == 1 else 1.0
    return [number.measure.value * (1.0 if number.measure.kind else factor) for number in numbers]


def rests(operands: Sequence[Number], quotes: Sequence[Reading], *, adds: bool) -> Iterator[float]:
    """Yield, of a sentence that tells a whole and its parts, what is left and what the parts make together."""
    for quote in quotes:
        sentences: dict[frozenset[str], list[Number]] = {}
        for number in quote.numbers:
            if number.row < 0 and number in operands:
                sentences.setdefault(number.words, []).append(number)
        parted = _PART.search(quote.text) is not None
        for numbers in sentences.values():
            whole, *parts = sorted(_in_their_unit(numbers), reverse=True)
            if len(parts) >= MAX_PARTS:
                continue
            if parted and parts:
                yield from (whole - sum(parts), *(whole - part for part in parts))
                if len(parts) > 1:
                    yield sum(parts)
            elif len(parts) == 1:
                yield whole - parts[0]
            if _REST.search(quote.text):
                others = (
                    other
                    for other in operands
                    if other not in numbers and other.measure.kind == numbers[0].measure.kind
                )
                yield from (other.measure.value - whole - sum(parts) for other in others)
            if adds and parts and len({number.measure.kind for number in numbers} - {""}) <= 1:
                yield whole + sum(parts)


def parallel_sums(quotes: Sequence[Reading]) -> Iterator[float]:
    """Yield what the numbers at one place of quotes that are alike come to, of all and of any two: `Of 11 things 6 were repaired and 5 not.`."""
    alike: dict[tuple[bool, ...], list[list[float]]] = {}
    for quote in quotes:
        numbers = [number for number in quote.numbers if number.row < 0]
        if 1 < len(numbers) <= MAX_PARALLEL:
            form = tuple(number.measure.kind == "percent" for number in numbers)
            alike.setdefault(form, []).append([number.measure.value for number in numbers])
    for form, rows in alike.items():
        for percent, values in zip(form, zip(*rows, strict=True), strict=True):
            if not percent and 1 < len(values) <= MAX_PARALLEL:
                yield sum(values)
                yield from map(sum, combinations(values, 2))


def for_each(held: Sequence[Number], told: Sequence[Number]) -> Iterator[float]:
    """Yield what two numbers, one of them among those told, make as a total and what it is shared out among, or as a count and what each has."""
    named = {id(number) for number in told}
    for first, other in combinations(held[:MAX_OPERANDS], 2):
        if not same_place(first, other) and not first.row == other.row >= 0:
            continue
        if id(first) not in named and id(other) not in named:
            continue
        for total, count in ((first, other), (other, first)):
            if count.measure.kind not in MEASURED_KINDS - {"people"} and count.measure.value > 1:
                yield total.measure.value / count.measure.value
                if total.row < 0:
                    yield total.measure.value * count.measure.value


def per_unit(held: Sequence[Number], unit: tuple[str, float]) -> Iterator[float]:
    """Yield how much of one number there is in each unit of another: inhabitants per square kilometre.

    Args:
        held: numbers of the quotes.
        unit: what it measures, and how many of the common unit it is.
    """
    kind, factor = unit
    for first, other in combinations(held[:MAX_OPERANDS], 2):
        if same_place(first, other) or first.row == other.row >= 0:
            for total, measured in ((first, other), (other, first)):
                if measured.measure.kind == kind and measured.measure.value > 0:
                    yield total.measure.value / (measured.measure.value / factor)


def related(held: Sequence[Number]) -> list[tuple[Number, Number]]:
    """Return pairs of numbers that one may be a share of the other: near in prose, in one row or column, or the few of a unit."""
    pairs = combinations(held[:MAX_OPERANDS], 2)
    few = {kind for kind, count in Counter(number.measure.kind for number in held).items() if count <= FEW}
    return [
        (first, other)
        for first, other in pairs
        if same_place(first, other)
        or first.measure.kind == other.measure.kind in few & MEASURED_KINDS
        or (
            first.row >= 0
            and (first.row == other.row or first.column == other.column)
            and first.measure.kind == other.measure.kind
        )
    ]


def percentages(pairs: Sequence[tuple[Number, Number]]) -> Iterator[float]:
    """Yield what percentage one number is of the other, and by how many percent one is more or less."""
    for pair in pairs:
        first, other = in_one_unit(*pair)
        if first > 0 and other > 0 and not (pair[0].measure.kind == pair[1].measure.kind == "percent"):
            yield from (100 * first / other, 100 * other / first)
    yield from changes(pairs)


def changes(pairs: Sequence[tuple[Number, Number]], *, of_percentages: bool = False) -> Iterator[float]:
    """Yield by how many percent one number is more or less than the other; of percentages only where a share in words tells it: `a fifth lower`."""
    for pair in pairs:
        first, other = in_one_unit(*pair)
        if first > 0 and other > 0 and _one_kind(*pair) and (of_percentages or pair[0].measure.kind != "percent"):
            yield from (100 * abs(first - other) / first, 100 * abs(first - other) / other)
