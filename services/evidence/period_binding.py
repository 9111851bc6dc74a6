"""Binds a number of prose to its period, where the nearest period belongs to another number."""

import re
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import pairwise

from services.text.quantity import Quantity

Period = tuple[int | None, int | None, int | None]
"""Year, month and day, each where given."""
SENTENCE = 10
"""Distance of two sentences, and of two clauses that a semicolon parts."""


def before_a_semicolon(
    text: str, start: int, periods: Sequence[tuple[int, Period]], depth: Callable[[int], int]
) -> frozenset[Period]:
    """Return the last period of the clause before a number's own, where a semicolon goes on with it: `In 2019 12 came; 5 stayed.`."""
    last, period = max(
        ((place, period) for place, period in periods if place < start), default=(0, None), key=lambda item: item[0]
    )
    if period is None or depth(start) - depth(last) >= 2 * SENTENCE:
        return frozenset()
    between = text[last:start]
    return frozenset() if re.search(r"[。！？\n]|[.!?](?=\s)", between) else frozenset([period])


def leading(
    counted: Sequence[tuple[int, int, Quantity]], periods: Sequence[tuple[int, Period]], depth: Callable[[int], int]
) -> frozenset[int]:
    """Return the places of periods with a number right behind them, so that they are not of one before: `5.1, in 2022 it was 6.3`."""
    starts = sorted(start for start, _, _ in counted)
    following = ((place, bisect(starts, place)) for place, _ in periods)
    return frozenset(
        place for place, after in following if after < len(starts) and depth(starts[after]) <= depth(place) + 1
    )


def taken(
    place: int,
    number: int,
    numbers: Sequence[int],
    periods: Sequence[int],
    introducing: frozenset[int],
    depth: Callable[[int], int],
) -> bool:
    """Tell whether a period before a number closes the piece of another number, and a later period is left for this number.

    `10,924 metres in 1984 and 10,984 metres, uncertain by 25, in 2010`.
    """
    if not depth(place) < depth(number) < depth(place) + SENTENCE:
        return False
    return any(depth(other) == depth(place) and other < place for other in numbers) and any(
        later > number and later not in introducing and depth(later) - depth(number) < SENTENCE for later in periods
    )


def paired(
    numbers: Sequence[int], periods: Sequence[tuple[int, Period]], depth: Callable[[int], int]
) -> dict[int, Period]:
    """Bind numbers to periods that take turns with them between two breaks: `18 in 2019 and 23 in 2021`, by their places."""
    rows: dict[int, list[tuple[int, Period | None]]] = {}
    for place, period in sorted([*((place, None) for place in numbers), *periods], key=lambda item: item[0]):
        rows.setdefault(depth(place), []).append((place, period))
    paired: dict[int, Period] = {}
    for row in rows.values():
        evens, odds = row[::2], row[1::2]
        if len(row) < 4 or len(evens) != len(odds):
            continue
        for values, times in ((evens, odds), (odds, evens)):
            if all(period is None for _, period in values) and all(period for _, period in times):
                paired |= {place: period for (place, _), (_, period) in zip(values, times, strict=True) if period}
    return paired


_UNTIL = re.compile(r"\s?(?:[至到]|to|until|through|[–—-])\s?")


def ends_of_spans(text: str, periods: Sequence[tuple[int, int, Period]]) -> list[frozenset[Period]]:
    """Return the two ends of each span of time, which has both of them: `2025年10月至2026年5月`."""
    return [
        frozenset({first, last})
        for (_, end, first), (start, _, last) in pairwise(periods)
        if _UNTIL.fullmatch(text, end, start)
    ]


_LISTED = re.compile(r"[^\d.;。；！？\n]{0,24}(?:[,、&和与及]|\b(?:and|or)\b)[^\d.;。；！？\n]{0,8}")
"""What parts the members of a list, with a unit before it."""
_SENTENCE_ENDS = re.compile(r"[;；。！？\n]|[.!?](?=\s)")
_BETWEEN = re.compile(r"\bbetween $|[在从自]$", re.IGNORECASE)
_Placed = tuple[int, int, Period | None]
"""Where a number or a period begins and ends, with the period."""


def listed(text: str, counted: Sequence[tuple[int, int, Quantity]], periods: Sequence[_Placed]) -> dict[int, Period]:
    """Bind a list of numbers to a list of as many periods beside it, by their places: `in 2019 and 2021 it had 18 and 23`."""
    runs: list[list[_Placed]] = []
    for item in sorted([*((start, end, None) for start, end, _ in counted), *periods], key=lambda item: item[0]):
        before = runs[-1][-1] if runs else None
        alike = before is not None and (before[2] is None) is (item[2] is None)
        if before and alike and _LISTED.fullmatch(text, before[1], item[0]):
            runs[-1].append(item)
        else:
            runs.append([item])
    bound: dict[int, Period] = {}
    for former, other in pairwise(runs):
        values, times = (former, other) if former[0][2] is None else (other, former)
        if len(values) != len(times) or len(values) == 1 or values[0][2] is not None or times[0][2] is None:
            continue
        apart = text[former[-1][1] : other[0][0]]
        if not _SENTENCE_ENDS.search(apart) and not _BETWEEN.search(text[: times[0][0]][-8:]):
            bound |= {value[0]: time[2] for value, time in zip(values, times, strict=True) if time[2]}
    return bound
