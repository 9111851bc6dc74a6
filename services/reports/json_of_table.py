"""Makes the JSON that a question asks for from the table that a model wrote and code checked."""

import json
import re
from collections.abc import Sequence

from schemas.document import Block, Code, Heading, Inlines, Table
from services.reports.document import words

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")


def with_json(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return a report with the rows of its tables as JSON below its title, in place of JSON that stands there.

    The tables stay below it: they have the citations.
    """
    tables = [block for block in blocks if isinstance(block, Table)]
    kept = [block for block in blocks if not (isinstance(block, Code) and block.language == "json")]
    if not tables:
        return tuple(kept)
    rows = [dict(zip(_keys(table), map(_value, row), strict=False)) for table in tables for row in table.rows]
    title = 1 if kept and isinstance(kept[0], Heading) else 0
    return (*kept[:title], Code(json.dumps(rows, ensure_ascii=False, indent=2), "json"), *kept[title:])


def _keys(table: Table) -> list[str]:
    return [words(cell) or f"column {number}" for number, cell in enumerate(table.header, 1)]


def _value(cell: Inlines) -> str | int | float:
    text = words(cell)
    return json.loads(text) if _NUMBER.fullmatch(text) else text
