"""Common part of all file conversions: limits, errors and the card."""

import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, NamedTuple

from schemas.card import Card
from services.search.files.cards import front_matter_listed, header_fields, named_date, past_date, text_card
from services.search.files.file_types import (
    BEYOND_LIMITS,
    DAMAGED,
    EMPTY,
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_CUT,
    NO_TEXT,
    TOO_LARGE,
    Converted,
    passage_terms,
)
from services.search.files.table_profile import HOLDING, Profiled, embedded_tables
from services.text.normal_form import normalise_text
from services.text.wrapped_lines import without_chinese_wraps

_DATE = re.compile(
    r"(?:published|updated|(?:(?:publication|release|issue) |(?<![a-z])(?<![a-z] ))date|发布日期|发布时间|发表日期|更新|更新日期|更新时间|"
    r"(?<![\u4e00-\u9fff])日期)[ \t]{0,9}[:：][ \t]{0,9}[\"']?([^\n\"']{4,40})",
    re.IGNORECASE,
)
"""Phrases before a document's date; a `birth date` does not count."""
_CODE = re.compile(r"^```.*?(?:^```|\Z)", re.MULTILINE | re.DOTALL)
"""Code, whose fields are not the document's."""
_HEAD = 2_000
"""Characters at a document's beginning in which its date is searched."""


class Content(NamedTuple):
    """What a converter reads of a file."""

    text: str
    card: Card = Card()
    """What the file says beside its text."""
    note: str = ""
    """See `Converted.note`."""
    tables: Callable[[], list[Profiled]] | None = None
    """Profiles the tables of a file of tables; those of others are found in the text."""


Read = Callable[[str, bytes], Content]
"""Reads data with a file suffix."""


def with_passages(answer: Converted) -> Converted:
    """Return a converted file with its passages for an index, unless its text is long."""
    if "error" in answer or len(answer["text"]) > MAX_CUT:
        return answer
    return {**answer, "passages": list(passage_terms(answer["title"], answer["text"]))}


def converted(name: str, data: bytes, read: Read) -> Converted:
    """Convert one file by the converter of its kind; a failure is returned as `error`.

    Its text takes precedence over its properties, except for the title.
    """
    if not data.strip():
        return {"error": EMPTY}
    if len(data) > MAX_BYTES:
        return {"error": TOO_LARGE}
    try:
        text, properties, note, tables = read(PurePath(name).suffix.lower(), data)
    except MemoryError:
        return {"error": BEYOND_LIMITS}
    except Exception:  # noqa: BLE001 - converters raise anything at all on broken input
        return {"error": DAMAGED}
    if not text.strip():
        return {"error": NO_TEXT}
    if len(text) > MAX_CHARACTERS:
        return {"error": f"too_long:{MAX_CHARACTERS // 1_000_000}"}
    text = without_chinese_wraps(normalise_text(text))
    dates = (past_date(match[1]) for match in _DATE.finditer(_CODE.sub("", text[:_HEAD])))
    beside = Card(published=next(filter(None, dates), "") or named_date(PurePath(name).stem))
    card = Card(title=properties.title).filled(text_card(text, PurePath(name).stem)).filled(beside).filled(properties)
    card = card.filled(Card(title=_title(text, PurePath(name))))
    text = front_matter_listed(text)
    holding = PurePath(name).suffix.lower() in HOLDING
    return {
        "text": text,
        "title": card.heading,
        "card": card.model_dump(),
        "note": note,
        "tables": _profiles(tables or (lambda: embedded_tables(name, text) if holding else [])),
    }


def _profiles(tables: Callable[[], list[Profiled]]) -> list[dict[str, Any]]:
    """Return the profiles of tables; where they come to nothing, their text is searched all the same."""
    try:
        return [table.model_dump() for table in tables()]
    except Exception:  # noqa: BLE001 - a broken table raises anything
        return []


def _title(text: str, path: PurePath) -> str:
    first = next((line.strip() for line in text.split("\n") if any(map(str.isalnum, line))), "")
    fields = header_fields(text)
    if len(fields) > 1 and first.lstrip(":*_- ").startswith(fields[0][0]):
        first = ""
    of_text = path.suffix.lower() in {".txt", ".rst", ".pdf", ".docx", ".rtf", ".odt", ".xml"}
    if of_text and 0 < len(first) <= 120 and first[-1] not in ".。,，;；:：":
        return first.lstrip("# ")
    return re.sub(r"[-_]+", " ", path.stem).strip()
