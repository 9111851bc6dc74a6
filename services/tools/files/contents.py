"""Converts a file to text: a table, the shape of JSON, a text, or a converted document. Runs in the child process.

The process is confined; see `services/sandbox/workers.py`.
"""

import json
from pathlib import PurePath
from typing import Any, Literal

from services.sandbox.jobs import serve
from services.search.convert_office import html_text, office_text
from services.text.decoding import decode
from services.tools.files.shapes import parse_json, shape
from services.tools.files.sheets import Sheet, check_archive, csv_rows, read_sheet, workbook_rows
from services.tools.rows import as_table

Format = Literal["csv", "excel", "json", "text", "python", "sql", "document"]

MAX_TEXT = 1_000_000
"""Maximum characters of an answer."""
MAX_JSON = 50_000_000
DEFAULT_ROWS = 1_000
_KINDS: dict[str, Format] = {
    ".csv": "csv", ".tsv": "csv", ".xlsx": "excel", ".xlsm": "excel", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".geojson": "json", ".py": "python", ".sql": "sql", ".pdf": "document", ".docx": "document", ".html": "document",
    ".htm": "document",
}  # fmt: skip


def main() -> None:
    """Read the files from standard input."""
    serve(read)


def read(request: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Convert a file to text.

    Args:
        request: `name` and the tool's parameters `format`, `encoding`, `sheet_name`, `nrows` and `parse_metadata`.
        data: content of the file.

    Returns:
        `text`, or `error` with the fault of the file.
    """
    try:
        return {"text": _read(request, data)}
    except MemoryError:
        raise
    except ValueError as error:
        return {"error": str(error)[:500]}
    except Exception as error:  # noqa: BLE001 - parsers raise anything at all on broken input
        return {"error": f"it is damaged, or not what its name says ({type(error).__name__})"}


def format_of(name: str, data: bytes) -> Format:
    """Detect a file's format by its name, else by its content."""
    known = _KINDS.get(PurePath(name).suffix.lower())
    if known is not None:
        return known
    if data.startswith(b"%PDF"):
        return "document"
    if data.startswith(b"PK") and b"xl/workbook" in data:
        return "excel"
    return "json" if data.lstrip()[:1] in {b"{", b"["} and PurePath(name).suffix == "" else "text"


def _read(request: dict[str, Any], data: bytes) -> str:
    if not data.strip():
        raise ValueError("it is empty")
    kind: Format = request["format"] or format_of(request["name"], data)
    reader = {"csv": _csv, "excel": _excel, "json": _json, "document": _document}.get(kind, _text)
    return reader(request, data)


def _csv(request: dict[str, Any], data: bytes) -> str:
    text, encoding = decode(data, request["encoding"])
    rows, delimiter = csv_rows(text, request["name"])
    sheet = read_sheet(rows, request["nrows"] or DEFAULT_ROWS)
    delimited = {"\t": "tab", ",": "comma", ";": "semicolon", "|": "bar"}[delimiter]
    return _table(request, sheet, [f"Encoding: {encoding}, separated by {delimited}"])


def _excel(request: dict[str, Any], data: bytes) -> str:
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise ValueError("it is an old or an encrypted workbook. Save it as XLSX without a password")
    rows, chosen, names = workbook_rows(data, request["sheet_name"])
    sheet = read_sheet(iter(rows), request["nrows"] or DEFAULT_ROWS)
    return _table(request, sheet, [f"Sheet: {chosen} (of {len(names)}: {', '.join(names[:50])})"])


def _table(request: dict[str, Any], sheet: Sheet, about: list[str]) -> str:
    profile = []
    if request["parse_metadata"]:
        profile = [*about, *(f"- {column.describe()}" for column in sheet.columns), ""]
    return "\n".join([*profile, as_table(sheet.rows, f"{sheet.total:,}")])


def _json(request: dict[str, Any], data: bytes) -> str:
    if len(data) > MAX_JSON:
        raise ValueError(f"it has more than {MAX_JSON:,} bytes, which is too much for JSON")
    text, encoding = decode(data, request["encoding"])
    value, lines = parse_json(text)
    about = (
        [f"Encoding: {encoding}{f', {lines:,} lines of JSON' if lines else ''}"] if request["parse_metadata"] else []
    )
    shown = value
    if isinstance(value, list):
        max_items = request["nrows"] or DEFAULT_ROWS
        shown = value[:max_items]
        about.append(
            f"{len(shown):,} items{f' shown of {len(value):,}' if len(value) > max_items else ', all there are'}."
        )
    return "\n".join(
        [*about, f"Shape: {shape(value)}"[:20_000], "", _bounded(json.dumps(shown, ensure_ascii=False, indent=1))]
    )


def _text(request: dict[str, Any], data: bytes) -> str:
    text, encoding = decode(data, request["encoding"])
    lines = text.splitlines()
    max_lines = request["nrows"] or len(lines)
    shown = "\n".join(lines[:max_lines])
    about = [f"Encoding: {encoding}, {len(lines):,} lines"] if request["parse_metadata"] else []
    if max_lines < len(lines):
        about.append(f"Lines 1 to {max_lines:,} of {len(lines):,} are shown.")
    return "\n".join([*about, *([""] if about else []), _bounded(shown)])


def _document(request: dict[str, Any], data: bytes) -> str:
    suffix = PurePath(request["name"]).suffix.lower()
    if suffix == ".docx":
        check_archive(data)
    return _bounded(html_text(data)[0] if suffix in {".html", ".htm"} else office_text(data, suffix))


def _bounded(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[:MAX_TEXT]}\n[cut here: {len(text) - MAX_TEXT:,} more characters]"


if __name__ == "__main__":
    main()
