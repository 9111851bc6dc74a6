"""Texts that describe tables, such as a codebook or the README beside them, found by the names of columns and files."""

import re
from collections.abc import Sequence

from schemas.coder import TextView
from services.search.index import FolderIndex
from services.search.table_profile import Table, column_names

CANDIDATES = 50
"""Passages among which descriptions are looked for."""
FEWEST = 2
"""Different names of a table that a text has to hold; a text that holds less than half as many as another one is left out, too."""
ROOM = 6_000
"""Characters of all texts together. A text that fits is shown whole, of a longer one the passages with the most names."""


def texts_about(index: FolderIndex, tables: Sequence[Table], others: Sequence[Table] = ()) -> list[TextView]:
    """Return texts of the tables' folder, or parts of them, that name their columns or files, those with the most names first. Blocking.

    A column that another table of the folder has as well does not make that table a description.
    """
    every = [part for table in tables for part in (table, *table.parts)]
    names = {name for part in every for name in (part.path.name, *column_names(part)) if len(name) > 1}
    if not names:
        return []
    own = {_address(index, part) for part in every if not part.document}
    columns = {_address(index, table): set(column_names(table)) for table in others if not table.document}
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?!\w)")
    found: list[tuple[int, TextView]] = []
    for hit in index.hits(index.words.lexical(" ".join(sorted(names)), CANDIDATES)):
        if hit.url in own:
            continue
        parts = [hit.text[place.start : place.end] for place in hit.passages]
        held = [set(named.findall(part)) - columns.get(hit.url, set()) for part in parts]
        count = len(set().union(*held))
        ranked = sorted(range(len(parts)), key=lambda place: (-len(held[place]), place))
        text = hit.text if len(hit.text) <= ROOM else _fitting([parts[place] for place in ranked if held[place]])
        found.append((count, TextView(path=hit.url, text=text)))
    most = max((count for count, _ in found), default=0)
    found = sorted((pair for pair in found if pair[0] >= max(FEWEST, most / 2)), key=lambda pair: -pair[0])
    shown: list[TextView] = []
    for _, view in found:
        if sum(len(one.text) for one in (*shown, view)) <= ROOM:
            shown.append(view)
    return shown


def _fitting(parts: Sequence[str]) -> str:
    """Join as many parts as there is room for, from the first."""
    text = ""
    for part in parts:
        if len(text) + len(part) + 3 <= ROOM:
            text += f"\n…\n{part}" if text else part
    return text


def _address(index: FolderIndex, table: Table) -> str:
    return f"{index.folder.name}/{table.path.relative_to(index.folder).as_posix()}"
