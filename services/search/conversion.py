"""Common part of all file conversions: limits, errors, title and date."""

import re
from collections.abc import Callable
from pathlib import PurePath

from services.search.file_types import BEYOND_LIMITS, MAX_BYTES, MAX_CHARACTERS, NO_TEXT, Converted
from services.text.dates import iso_date
from services.text.normal_form import normalise_text

_DATE = re.compile(
    r"(?:published|updated|(?:(?:publication|release|issue) |(?<![a-z])(?<![a-z] ))date|发布日期|发布时间|发表日期|更新|更新日期|更新时间|"
    r"(?<![\u4e00-\u9fff])日期)[ \t]{0,9}[:：][ \t]{0,9}[\"']?([^\n\"']{4,40})",
    re.IGNORECASE,
)
"""Phrases before a document's date; a `birth date` does not count."""
JOINED_LINES = re.compile(r"(?<=[\u3400-\u9fff\uff00-\uffef\u3000-\u303f])\n(?=[\u3400-\u9fff])")
"""Line breaks inside Chinese sentences, which a PDF has and the text has not."""
_HEAD = 2_000
"""Characters at a document's beginning in which its date is searched."""

Read = Callable[[str, bytes], tuple[str, str, str]]
"""Returns text, title and date of data with a file suffix; title and date are empty if the file has none."""


def converted(name: str, data: bytes, read: Read) -> Converted:
    """Convert one file; a failure is returned as `error`.

    Args:
        name: name of the file, whose suffix gives its type.
        data: content of the file.
        read: converter of its type; its date is used if the text has none.
    """
    if not data.strip():
        return {"error": "is empty"}
    if len(data) > MAX_BYTES:
        return {"error": f"is larger than {MAX_BYTES // 1_000_000} MB"}
    try:
        text, title, date = read(PurePath(name).suffix.lower(), data)
    except MemoryError:
        return {"error": BEYOND_LIMITS}
    except Exception as error:  # noqa: BLE001 - converters raise anything at all on broken input
        return {"error": f"cannot be converted ({type(error).__name__}: {' '.join(str(error).split())[:120]})"}
    if not text.strip():
        return {"error": NO_TEXT}
    if len(text) > MAX_CHARACTERS:
        return {"error": f"holds more than {MAX_CHARACTERS // 1_000_000} million characters"}
    text = normalise_text(text)
    told = (iso_date(found[1]) for found in _DATE.finditer(text[:_HEAD]))
    published = next(filter(None, told), None) or iso_date(date)
    return {"text": text, "title": title or _title(text, PurePath(name)), "published": published}


def _title(text: str, path: PurePath) -> str:
    for line in text.split("\n", 40)[:40]:
        if found := re.match(r"#\s++(\S.*)", line):
            return found.group(1).strip().strip("#").strip()
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    if path.suffix.lower() in {".txt", ".pdf", ".docx"} and 0 < len(first) <= 120 and first[-1] not in ".。,，;；:：":
        return first.lstrip("# ")
    return re.sub(r"[-_]+", " ", path.stem).strip()
