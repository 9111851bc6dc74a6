"""Converts files of text to documents, and profiles their tables, in a confined process (see `services/sandbox/workers.py`).

Files that a library reads have their own process, `convert_office.py`, whose libraries take a second to load. Of reStructuredText section
titles and literal blocks become Markdown, by the rules of its specification (docutils.sourceforge.io/docs/ref/rst/restructuredtext.html),
line by line; tables stay as they are drawn.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from striprtf.striprtf import rtf_to_text

from schemas.card import Card
from services.sandbox.jobs import serve
from services.search.conversion import Content, converted, with_passages
from services.search.file_types import DATA, TABLES
from services.search.sheets import csv_sheet, delimiter_of, sheets_markdown, tables_of
from services.search.table_profile import Profiled, profiled
from services.text.decoding import CERTAIN, decode

_DECIMAL_COMMA = re.compile(r"^\s*([-+]?\d+),(\d+)\s*$")

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
SHORTEST_ADORNMENT = 3
"""Characters of the line below a title, if the title itself is not shorter."""
_CODE = re.compile(r"[ \t]*+\.\. (?:code-block|code|sourcecode|parsed-literal)::[ \t]*+([\w+-]{0,30}+)[ \t]*+")
_OPTION = re.compile(r"[ \t]*:[\w-]{1,40}:(?:[ \t].*)?")
DEEPEST = 6
"""Levels of headings that Markdown has."""


def main() -> None:
    """Convert the files from standard input."""
    serve(_answer)


def _answer(job: dict[str, Any], data: bytes) -> Mapping[str, object]:
    name = job["name"]
    answer = converted(name, data, lambda suffix, content: _content(suffix, content, name))
    return with_passages(answer) if job.get("passages") else answer


def _tables(name: str, text: str, encoding: str) -> list[Profiled]:
    """Profile the table of a CSV or TSV file."""
    delimiter = delimiter_of(name, text)
    plain = encoding == "utf-8" and delimiter == ("\t" if name.lower().endswith(".tsv") else ",")
    sheet = csv_sheet(text, delimiter)
    if delimiter == ";":  # as spreadsheet programs write it where numbers have a decimal comma
        sheet = sheet._replace(rows=[[_DECIMAL_COMMA.sub(r"\1.\2", cell) for cell in row] for row in sheet.rows])
    return profiled(name, tables_of([sheet]), plain=plain)


def _content(suffix: str, data: bytes, name: str) -> Content:
    text, encoding = decode(data)
    note = "" if encoding in CERTAIN else f"encoding:{encoding}"
    if suffix in TABLES:
        shown, left_out = sheets_markdown([csv_sheet(text, delimiter_of(name, text))])
        return Content(
            shown, _card(suffix, name), "beginning" if left_out else note, lambda: _tables(name, text, encoding)
        )
    return Content(_text(suffix, text), _card(suffix, name), note)


def _text(suffix: str, text: str) -> str:
    """Return the text of a file, whose markup stays as it is but for what other parts of Leadline read as Markdown.

    Raises:
        ValueError: it is not of its kind.
    """
    if suffix == ".rst":
        return "\n".join(_markdown(text.split("\n")))
    if suffix == ".rtf":
        return str(rtf_to_text(text, errors="replace"))  # type: ignore[no-untyped-call]  # striprtf has no types
    return "\n\n".join(_cells(json.loads(text))) if suffix == ".ipynb" else text


def _card(suffix: str, name: str) -> Card:
    return Card(title=PurePath(name).name) if suffix in DATA - {".ipynb"} else Card()


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    """Yield the cells of a notebook, with its code and what that printed as fenced code."""
    for cell in notebook["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] != "code":
            yield source
            continue
        outputs = [
            _joined(output.get("text") or output.get("data", {}).get("text/plain", ""))
            for output in cell.get("outputs", [])
        ]
        yield from (f"```\n{text}\n```" for text in [source, *outputs] if text.strip())


def _joined(lines: str | list[str]) -> str:
    return "".join(lines).rstrip()


def _markdown(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a text of reStructuredText with the headings and the fenced code of Markdown."""
    styles: list[tuple[str, bool]] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if title := _title(lines, place):
            name, style, place = title
            if style not in styles:
                styles.append(style)
            yield f"{'#' * min(DEEPEST, styles.index(style) + 1)} {name}"
        elif (found := _CODE.fullmatch(line)) or (line.endswith("::") and not line.lstrip().startswith("..")):
            end = _end_of_block(lines, place)
            yield from [] if found or line.strip() == "::" else [line[:-1].rstrip()]
            yield from _fenced(lines[place + 1 : end], found[1] if found else "")
            place = end
        else:
            yield line
            place += 1


def _title(lines: Sequence[str], place: int) -> tuple[str, tuple[str, bool], int] | None:
    """Return a section's title, its style and the place below it; None where no title begins."""
    if place and lines[place - 1].strip():
        return None
    above, name, below = (lines[at].rstrip() if at < len(lines) else "" for at in (place, place + 1, place + 2))
    if above and above == below and name and _adorns(above, name.strip()):
        return name.strip(), (above[0], True), place + 3
    if above and not above[0].isspace() and not _ADORNMENT.fullmatch(above) and _adorns(name, above):
        return above, (name[0], False), place + 2
    return None


def _adorns(line: str, name: str) -> bool:
    """Tell whether a line is long enough to make a title of the line beside it."""
    return _ADORNMENT.fullmatch(line) is not None and len(line) >= min(SHORTEST_ADORNMENT, len(name))


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _end_of_block(lines: Sequence[str], place: int) -> int:
    """Return the place behind the lines that are indented below a line, without the blank ones at their end."""
    base, end = _indentation(lines[place]), place + 1
    for at in range(place + 1, len(lines)):
        if lines[at].strip():
            if _indentation(lines[at]) <= base:
                break
            end = at + 1
    return end


def _fenced(block: Sequence[str], language: str) -> list[str]:
    """Return the lines of a directive behind its options as fenced code, without blank ones before them."""
    start = next((at for at, line in enumerate(block) if line.strip() and not _OPTION.fullmatch(line)), len(block))
    return ["", f"```{language}", *block[start:], "```", ""] if start < len(block) else []
