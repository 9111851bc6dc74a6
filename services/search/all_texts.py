"""All texts of a folder as a file for programs, so that counts and comparisons over hundreds of records are computed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from schemas.card import Card
from services.search.files.file_types import MAX_CHARACTERS, RECORDS, TABLES
from services.search.files.table_profile import Table, profile
from services.search.index import FolderIndex
from services.text.code_blocks import without_fence
from services.text.normal_form import slug_of

SUFFIX = "-texts.jsonl"
"""What the names of these files end with."""
FEWEST = 10
"""Texts from which a folder has such a file: fewer are read by search, unless they hold records."""
LONGEST = 50_000_000
"""Characters of all texts together; a folder that has more has no such file."""
LONGEST_NAME = 60
"""Characters of the folder's name in that of the file."""
NEAREST, EVENLY = 2, 4
"""Texts of which a model sees something: the nearest to what is asked, and others at even distances."""
PASSAGES = 20
"""Passages among which the nearest texts are looked for."""
SAMPLE, SHORT_SAMPLE = 800, 300
"""Characters of the beginning and of the passage of the nearest, and of the beginnings of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllTexts(Table):
    """The documents of a folder as JSON lines, an object for each file: what its card says, and its text."""

    index: FolderIndex

    def read(self) -> bytes:
        """Return the file for programs. Blocking."""
        return "".join(map(_line, _records(self.index, MAX_CHARACTERS))).encode()


def all_texts(index: FolderIndex, wanted: str) -> AllTexts | None:
    """Describe the file of a folder's documents, with samples for what is wanted; None where they are few without records, or too long together. Blocking."""
    if index.characters() > LONGEST:
        return None
    records = list(_records(index, SAMPLE))
    if len(records) < FEWEST and not any(PurePath(record["path"]).suffix.lower() in RECORDS for record in records):
        return None
    fields = [field for field in records[0] if field != "text" and any(record[field] for record in records)]
    rows: list[Sequence[str]] = [fields, *([record[field] for field in fields] for record in records)]
    view = profile(PurePath(f"{slug_of(index.folder.name, LONGEST_NAME, 'documents')}{SUFFIX}"), "", rows)
    if view is None:
        return None
    columns = [*view.columns, "text: the whole text, of which the samples have only a part"]
    sample = "".join(map(_line, _samples(index, records, fields, wanted))).strip()
    return AllTexts(index.folder, view.model_copy(update={"columns": columns, "sample": sample}), index=index)


def _samples(
    index: FolderIndex, records: Sequence[dict[str, str]], fields: Sequence[str], wanted: str
) -> Iterator[dict[str, str]]:
    """Yield some texts with those fields of their cards: of the nearest the beginning and the passage that is wanted, of others the beginning.

    Instead of others at even distances come those whose files are named in what is wanted, and one of each folder that is.
    """
    by_path = {record["path"]: record for record in records}
    for hit in index.hits(index.words.lexical(wanted, PASSAGES))[:NEAREST]:
        record, place = by_path.get(hit.url), hit.passages[0]
        if record is not None:
            wished = f" … {hit.text[place.start : place.end][:SAMPLE]}" if place.start >= SAMPLE else ""
            yield {**{field: record[field] for field in fields}, "text": f"{record['text'][:SAMPLE]}{wished}"}
    named: dict[str, dict[str, str]] = {}
    for record in records:
        path = PurePath(record["path"].partition("/")[2])
        if path.name in wanted or (path.parent.name and path.parent.name in wanted):
            named.setdefault(path.name if path.name in wanted else str(path.parent), record)
    spread = [records[len(records) * number // (EVENLY + 1)] for number in range(1, EVENLY + 1)]
    others = {record["path"]: record for record in [*named.values(), *spread]}
    for record in list(others.values())[:EVENLY]:
        yield {**{field: record[field] for field in fields}, "text": record["text"][:SHORT_SAMPLE]}


def _line(record: dict[str, Any]) -> str:
    return f"{json.dumps(record, ensure_ascii=False)}\n"


def _records(index: FolderIndex, characters: int) -> Iterator[dict[str, str]]:
    """Yield the documents but for tables, with the first characters of their texts; a path begins with the folder's name, as addresses do."""
    for path, title, card_as_json, text in index.documents(characters):
        if PurePath(path).suffix.lower() not in TABLES:
            card = Card.model_validate_json(card_as_json)
            yield {
                "path": f"{index.folder.name}/{path}",
                "title": card.title or title,
                "name": card.name,
                "authors": "; ".join(card.authors),
                "published": card.published,
                "dates": "; ".join(f"{label}: {date}" for label, date in card.dates.items()),
                "status": card.status,
                "version": card.version,
                "text": without_fence(text),
            }
