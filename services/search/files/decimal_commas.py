"""Numbers with decimal commas (`1.234,5`), as spreadsheet programs write them in many languages, become such as programs read them (`1234.5`)."""

import re
from collections.abc import Iterable, Sequence

FIRST = 1_000
"""Rows among which a number is looked for that can be read in no other way, where decimal commas are not usual."""
_COMMA = re.compile(r"([^\w.,+-]{0,2}[-+−]?)([1-9]\d{0,2}(?:[.' ’]\d{3})+|\d+)(?:,(\d+))?([^\w.,]{0,3})")
"""A number with a decimal comma, with points between its thousands, or with neither, and a sign or a currency beside."""
_POINT = re.compile(r"\D{0,3}\d+(?:,\d{3})*\.\d+\D{0,3}|\D{0,3}\d{1,3}(?:,\d{3}){2,}\D{0,3}")
"""A number with a decimal point, or with commas between its thousands."""
_NOT_IN_NUMBERS = str.maketrans("", "", ".' ’")


def with_points(rows: Sequence[Sequence[str]], *, usual: bool) -> list[list[str]] | None:
    """Return rows with decimal points; None where no column has decimal commas.

    A point in a column without commas stands between thousands, then.

    Args:
        rows: cells.
        usual: whether numbers of such files mostly have decimal commas; else one of the first has to be like `1.234,5`.
    """
    width = max(map(len, rows), default=0)
    if not usual and not any(_is_certain(cell) for row in rows[:FIRST] for cell in row):
        return None
    forms = [_forms(rows, place) for place in range(width)]
    if not any("comma" in form and "point" not in form for form in forms):
        return None
    return [
        [cell if "point" in form else _written(cell) for cell, form in zip(row, forms, strict=False)] for row in rows
    ]


def _is_certain(cell: str) -> bool:
    match = _COMMA.fullmatch(cell.strip()) if "," in cell and "." in cell else None
    return match is not None and "." in match[2]


def _forms(rows: Iterable[Sequence[str]], place: int) -> set[str]:
    """Return whether numbers of a column have a decimal comma, or a decimal point."""
    forms: set[str] = set()
    for row in rows:
        cell = row[place].strip() if place < len(row) else ""
        if ("," in cell or "." in cell) and len(forms) < len(("comma", "point")):
            match = _COMMA.fullmatch(cell)
            if match is not None and match[3]:
                forms.add("comma")
            elif match is None and _POINT.fullmatch(cell):
                forms.add("point")
    return forms


def _written(cell: str) -> str:
    match = _COMMA.fullmatch(cell.strip()) if "," in cell or "." in cell else None
    if match is None:
        return cell
    before, whole, decimals, behind = match.groups()
    return f"{before}{whole.translate(_NOT_IN_NUMBERS)}{f'.{decimals}' if decimals else ''}{behind}"
