"""All texts of a folder as a file for programs, so that counts and comparisons over hundreds of records are computed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from schemas.card import Card
from services.search.file_types import MAX_CHARACTERS, TABLES
from services.search.index import FolderIndex
from services.search.table_profile import Table, profile

FEWEST = 10
"""Texts from which a folder has such a file: fewer are read by search."""
LONGEST = 30_000_000
"""Characters of all texts together; a folder that has more has no such file."""
SAMPLES = (300, 1_500, 300, 300, 1_500, 300)
"""Characters of the beginnings of texts that a model sees, at even distances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllTexts(Table):
    """The documents of a folder as JSON lines, an object for each file: what its card says, and its text."""

    index: FolderIndex

    def read(self) -> bytes:
        """Return the file for programs. Blocking."""
        return "".join(map(_line, _records(self.index, MAX_CHARACTERS))).encode()


def all_texts(index: FolderIndex) -> AllTexts | None:
    """Describe the file of a folder's documents; None where they are few or too long together. Blocking."""
    if index.count() < FEWEST or index.characters() > LONGEST:
        return None
    records = list(_records(index, max(SAMPLES)))
    if len(records) < FEWEST:
        return None
    fields = [field for field in records[0] if field != "text" and any(record[field] for record in records)]
    rows: list[Sequence[str]] = [fields, *([record[field] for field in fields] for record in records)]
    view = profile(PurePath(f"{index.folder.name}-texts.jsonl"), "", rows)
    if view is None:
        return None
    columns = [*view.columns, "text: the whole text, of which the samples have only the beginning"]
    shown = [
        {**{field: record[field] for field in fields}, "text": record["text"][:length]}
        for place, length in enumerate(SAMPLES, 1)
        for record in [records[len(records) * place // (len(SAMPLES) + 1)]]
    ]
    sample = "".join(map(_line, shown)).strip()
    return AllTexts(index.folder, view.model_copy(update={"columns": columns, "sample": sample}), index=index)


def _line(record: dict[str, Any]) -> str:
    return f"{json.dumps(record, ensure_ascii=False)}\n"


def _records(index: FolderIndex, characters: int) -> Iterator[dict[str, str]]:
    """Yield the documents but for tables, with the first characters of their texts."""
    for path, title, published, card_as_json, text in index.documents(characters):
        if PurePath(path).suffix.lower() not in TABLES:
            card = Card.model_validate_json(card_as_json)
            yield {
                "path": path,
                "title": card.title or title,
                "name": card.name,
                "authors": "; ".join(card.authors),
                "published": published or card.published,
                "dates": "; ".join(f"{label}: {date}" for label, date in card.dates.items()),
                "status": card.status,
                "version": card.version,
                "text": text,
            }
