"""Converts files of text to documents, and profiles their tables, in a confined process (see `services/sandbox/workers.py`).

Files that a library reads have their own process, `convert_office.py`, whose libraries take a second to load.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from striprtf.striprtf import rtf_to_text

from schemas.card import Card
from services.sandbox.jobs import serve
from services.search.files import (
    read_asciidoc,
    read_latex,
    read_mediawiki,
    read_org,
    read_plain,
    read_rmarkdown,
    read_rst,
    read_texinfo,
    read_xml,
)
from services.search.files.conversion import Content, converted, with_passages
from services.search.files.decimal_commas import with_points
from services.search.files.file_types import CODE, DATA, JSON, RECORDS, SUFFIXES, TABLES, Converted
from services.search.files.json_records import record_rows
from services.search.files.read_markdown import as_read
from services.search.files.sheets import SheetTable, csv_sheet, delimiter_of, sheets_markdown, tables_of
from services.search.files.table_profile import Profiled, profiled
from services.text.code_blocks import in_fence
from services.text.decoding import CERTAIN, decode

MARKUP: dict[str, Callable[[str], str]] = {
    **dict.fromkeys((".md", ".markdown", ".mdx"), as_read),
    **dict.fromkeys((".rmd", ".qmd"), read_rmarkdown.as_markdown),
    **dict.fromkeys((".mediawiki", ".wiki"), read_mediawiki.as_markdown),
    **dict.fromkeys((".adoc", ".asciidoc"), read_asciidoc.as_markdown),
    **dict.fromkeys((".tex", ".latex", ".ltx"), read_latex.as_markdown),
    **dict.fromkeys((".texi", ".texinfo", ".txi"), read_texinfo.as_markdown),
    ".org": read_org.as_markdown,
    ".rst": read_rst.as_markdown,
}
"""How markup is read, by the ending of a file's name; any other stays as it is written."""
_LETTER_CODE = re.compile(r"\\u[0-9A-Fa-f]{4}")
_TOKEN = re.compile(r'("[^"\\]*+(?>(?:\\.[^"\\]*+)*)(?:"|\Z)|\{\s*+\}|\[\s*+\]|[\[\]{},:]|[^\s\[\]{},:"]++)\s*+')
"""A part of JSON; an object or a list that is empty is one."""
LONGEST_TABLE = 10_000_000
"""Characters of a table's rows that are searched and by which its columns are described; its cells take twenty times as many bytes."""
LONGEST_JSON = 10_000_000
"""Characters of JSON that is read with its letters and in lines; what it becomes takes twenty times as many bytes."""


def main() -> None:
    """Convert the files from standard input."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    name = job["name"]
    answer = convert_plain(name, data)
    return with_passages(answer) if job.get("passages") else answer


def convert_plain(name: str, data: bytes) -> Converted:
    """Convert one file of text, whose name gives its type; a failure is returned as `error`."""
    return converted(name, data, lambda suffix, content: _content(suffix, content, name))


def _tables(name: str, text: str, encoding: str) -> list[Profiled]:
    delimiter = delimiter_of(name, text)
    separators = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "strokes"}
    usual = delimiter == ("\t" if name.lower().endswith(".tsv") else ",")
    begun, further = _beginning(text)
    sheet = csv_sheet(begun, delimiter)
    converted_rows = with_points(sheet.rows, usual=delimiter == ";")
    written = [
        "" if usual else f"{separators[delimiter]} between cells",
        "" if encoding == "utf-8" else f"encoding {encoding}",
        "decimal commas" if converted_rows else "",
    ]
    sheet = sheet._replace(rows=converted_rows or sheet.rows)
    return profiled(name, tables_of([sheet]), written=", ".join(filter(None, written)), further=further)


def _beginning(text: str) -> tuple[str, int]:
    """Return the rows of a table that are looked at, and how many lines follow."""
    end = text.rfind("\n", 0, LONGEST_TABLE) + 1 if len(text) > LONGEST_TABLE else len(text)
    rest = len(text) - end
    return text[:end], text.count("\n", end) + (not text.endswith("\n") and rest > 0)


def _content(suffix: str, data: bytes, name: str) -> Content:
    text, encoding = decode(data)
    note = "" if encoding in CERTAIN else f"encoding:{encoding}"
    if suffix in TABLES:
        begun, further = _beginning(text)
        shown, left_out = sheets_markdown([csv_sheet(begun, delimiter_of(name, text))])
        note = "beginning" if left_out or further else note
        return Content(shown, _card(suffix, name), note, lambda: _tables(name, text, encoding))
    if suffix == ".xml" and (paragraphs := read_xml.paragraphs(text.encode())):
        return Content(paragraphs, note=note)
    tables = partial(_records, name, text) if suffix in JSON else None
    return Content(_text(suffix, text), _card(suffix, name), note, tables)


def _records(name: str, text: str) -> list[Profiled]:
    rows = record_rows(text) if len(text) <= LONGEST_JSON else []
    tables = [SheetTable("", [], rows, plain=True)] if rows else []
    return profiled(name, tables, written="JSON")


def _text(suffix: str, text: str) -> str:
    """Return the text of a file, whose markup stays as it is but for what other parts of Leadline read as Markdown."""
    if suffix in MARKUP:
        return MARKUP[suffix](text)
    if suffix in CODE | RECORDS:
        code = _readable(text) if suffix in JSON else text
        return "\n".join(in_fence(code.strip("\n"), suffix[1:]))
    if suffix == ".rtf":
        return str(rtf_to_text(text, errors="replace"))  # type: ignore[no-untyped-call]  # striprtf has no types
    if suffix == ".ipynb":
        return "\n\n".join(_cells(json.loads(text)))
    return read_plain.as_markdown(text) if suffix == ".txt" or suffix not in SUFFIXES else text


def _readable(text: str) -> str:
    """Return JSON with letters instead of their codes, and what stands in one line with each value on its own; JSON lines stay lines."""
    if len(text) > LONGEST_JSON or ("\n" in text.strip() and not _LETTER_CODE.search(text)):
        return text
    try:
        return _dumped(text, in_lines=True)
    except (ValueError, RecursionError):
        return "\n".join(map(_line, text.split("\n")))


def _line(text: str) -> str:
    try:
        return _dumped(text)
    except (ValueError, RecursionError):
        return text


def _dumped(text: str, *, in_lines: bool = False) -> str:
    """Return JSON as `json.dumps` would write it, but numbers, repeated keys and what is empty as they are written."""
    json.loads(text)
    depth = 0

    def written(match: re.Match[str]) -> str:
        nonlocal depth
        part = match[1]
        depth += (part in "[{") - (part in "]}")
        gap = f"\n{' ' * depth}" if in_lines else ""
        if part in "[{]}":
            return f"{part}{gap}" if part in "[{" else f"{gap}{part}"
        if part in ",:":
            return f",{gap or ' '}" if part == "," else ": "
        return json.dumps(json.loads(part), ensure_ascii=False) if part[0] == '"' and "\\" in part else part

    return (
        _TOKEN.sub(written, text.lstrip()).encode(errors="replace").decode()
    )  # half of a pair of surrogates is no letter


def _card(suffix: str, name: str) -> Card:
    return Card(title=PurePath(name).name) if suffix in DATA - {".ipynb"} | {""} else Card()


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] != "code":
            yield as_read(source)
            continue
        outputs = [
            _joined(output.get("text") or output.get("data", {}).get("text/plain", ""))
            for output in cell.get("outputs", [])
        ]
        yield from ("\n".join(in_fence(text)) for text in [source, *outputs] if text.strip())


def _joined(lines: str | list[str]) -> str:
    return "".join(lines).rstrip()
