"""Texts that describe tables, such as a codebook or the README beside them, found by the names of columns and files."""

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from schemas.coder import TextView
from services.search.files.table_profile import Table, column_names
from services.search.index import FolderIndex

_WORD = re.compile(r"\w+")
CANDIDATES = 50
"""Passages among which descriptions of a table are looked for."""
FEWEST, ENOUGH = 2, 10
"""Different names of a table that a text has to hold: half of them, at least and at most so many; the name of a file is enough."""
ROOM = 6_000
"""Characters of all texts together. A text that fits is shown whole, of a longer one the passages with the most names."""


def texts_about(index: FolderIndex, tables: Sequence[Table], others: Sequence[Table]) -> list[TextView]:
    """Return texts, or parts of them, that describe tables of a folder, by turns the best of each table. Blocking.

    Columns that another table of the folder has as well do not make that one a description.
    """
    columns: dict[str, set[str]] = {}
    for table in others:
        if not table.document:
            columns.setdefault(_address(index, table), set()).update(column_names(table))
    ranked = zip_longest(*(_about(index, table, columns) for table in tables))
    views = dict.fromkeys((view.path, view.text) for of_rank in ranked for view in of_rank if view)
    shown: list[TextView] = []
    room = ROOM
    for path, text in views:
        if len(text) <= room:
            room -= len(text)
            shown.append(TextView(path=path, text=text))
    return shown


def _about(index: FolderIndex, table: Table, columns: dict[str, set[str]]) -> list[TextView]:
    """Return texts about one table, those with the most names first; `columns` are those of the folder's files of tables."""
    parts = (table, *table.parts)
    files = {part.path.name for part in parts if not part.document}
    heads = {name for part in parts for name in column_names(part) if len(name) > 1}
    own = {_address(index, part) for part in parts if not part.document}
    names = {name: words for name in sorted(files | heads) if (words := _words(name)).strip()}
    found: list[tuple[int, TextView]] = []
    for hit in index.hits(index.words.lexical(" ".join(names), CANDIDATES)):
        texts = [hit.text[place.start : place.end] for place in hit.passages]
        held = [_names_in(text, names) - columns.get(hit.url, set()) for text in texts]
        every = set[str]().union(*held)
        if hit.url in own or not (every & files or len(every) >= max(FEWEST, min(ENOUGH, len(heads) / 2))):
            continue
        by_names = sorted(range(len(texts)), key=lambda place: (-len(held[place]), place))
        whole = hit.text if len(hit.text) <= ROOM else _fitting([texts[place] for place in by_names if held[place]])
        found.append((len(every), TextView(path=hit.url, text=whole)))
    return [view for _, view in sorted(found, key=lambda pair: -pair[0])]


def _names_in(text: str, names: Mapping[str, str]) -> set[str]:
    within = _words(text)
    return {name for name, words in names.items() if words in within}


def _words(text: str) -> str:
    """Return the words of a text, each between blanks."""
    return f" {' '.join(_WORD.findall(text))} "


def _fitting(parts: Sequence[str]) -> str:
    """Join as many parts as there is room for, from the first."""
    text = ""
    for part in parts:
        if len(text) + len(part) + 3 <= ROOM:
            text += f"\n…\n{part}" if text else part
    return text


def _address(index: FolderIndex, table: Table) -> str:
    return f"{index.folder.name}/{table.path.relative_to(index.folder).as_posix()}"
