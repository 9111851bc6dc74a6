"""Records in JSON as rows of a table: a list of objects, an object a line, or a list in an object that has nothing else but plain values."""

import json
from collections.abc import Iterator
from typing import Any

MAX_RECORD_CELLS = 1_000_000
"""Cells of the rows together."""


def record_rows(text: str) -> list[list[str]]:
    """Return a row of column names and one for each object; none where there are fewer than two objects.

    Objects within them become columns with both names, as in `price.amount`; lists stay JSON. What cannot be read is left out.
    """
    objects = _objects(text)
    records = [dict(_fields("", record)) for record in objects]
    columns = list(dict.fromkeys(name for record in records for name in record))
    if len(records) < 2 or len(records) * len(columns) > MAX_RECORD_CELLS:
        return []
    return [columns, *([record.get(name, "") for name in columns] for record in records)]


def _objects(text: str) -> list[dict[str, Any]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return [value for value in map(_loaded, text.splitlines()) if isinstance(value, dict)]
    if isinstance(whole, dict):
        held = [value for value in whole.values() if isinstance(value, list | dict)]
        whole = held[0] if len(held) == 1 else None
    return [item for item in whole if isinstance(item, dict)] if isinstance(whole, list) else []


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _fields(above: str, record: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield column names and cells. The depth is bounded by what `json.loads` reads."""
    for key, value in record.items():
        name = f"{above}{key}"
        if isinstance(value, dict) and value:
            yield from _fields(f"{name}.", value)
        elif value is not None:
            yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
