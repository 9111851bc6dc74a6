"""Reads the text of a PDF file: pages in the order of reading below headings with their numbers, ruled tables as Markdown."""

import io
import re
import time
from collections.abc import Sequence
from itertools import islice, pairwise
from statistics import mean

import pdfplumber
import pypdfium2
import pypdfium2.raw as pdfium

from schemas.card import Card
from services.search.cards import properties_card
from services.search.pdf_layout import (
    HYPHEN,
    PdfLine,
    in_columns,
    lines_of,
    paragraphs,
    whole_rows,
    without_running_heads,
)
from services.text.page_numbers import page_heading
from services.text.tokens import has_cjk

TABLE_SECONDS = 2.0
"""Seconds for the tables of a file; those of later pages stay lines."""
LEAST_RULES, MOST_RULES = 6, 1_000
"""Drawn lines and boxes of a page that may hold a ruled table; a page with more is a drawing."""
SAMPLE = 2_000
"""Characters that tell whether a file is Chinese: every tenth of them is, even between tables."""
LEAST_FILLED = 0.6
"""Least share of a grid's cells with text."""
LONGEST_CELL = 200
"""Mean characters of a cell up to which a grid is a table; one of longer cells is a page in boxes."""

_LAST_LINE = re.compile(r"(?<![^\n|])[^\n|]+[^\s.!?。！？:：;；|]\Z")
"""The end of a page amid a sentence."""
_REST = re.compile(r"[^\n|]+?(?:[.!?](?=\s)|[。！？]|(?=\n)|\Z)")
"""The end of a sentence at the beginning of a page."""

_Table = tuple[tuple[float, float, float, float], str]
"""Left, bottom, right and top of a table in points, and the table as Markdown."""

_PROPERTIES = {"Title": "title", "Author": "author", "CreationDate": "created"}


def pdf_text(data: bytes) -> str:
    """Return the text of a PDF file.

    Raises:
        pypdfium2.PdfiumError: it is broken, or locked with a password.
    """
    with pypdfium2.PdfDocument(data) as file:
        pages: list[list[PdfLine]] = []
        ruled: list[int] = []
        for number in range(len(file)):
            try:
                page = file[number]
            except pypdfium2.PdfiumError:  # a broken page; the others are worth reading
                pages.append([])
                continue
            pages.append(lines_of(page))
            rules = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=2)
            drawn = len(list(islice(rules, MOST_RULES + 1)))
            if not page.get_rotation() and LEAST_RULES <= drawn <= MOST_RULES:
                ruled.append(number)
            page.close()
    tables = _tables(data, ruled)
    pages = without_running_heads(pages)
    known = frozenset(
        word.text.casefold().strip(".,;:()")
        for page in pages
        for line in page
        for word in line.words
        if "-" in word.text
    )
    texts = carried_over(
        ["\n\n".join(_blocks(page, tables.get(number, []), known)) for number, page in enumerate(pages)]
    )
    chinese = sum(map(has_cjk, "".join(texts)[:SAMPLE])) > SAMPLE / 10
    text = ""
    for number, own in enumerate(texts, 1):
        if own.strip():
            text += f"\n\n{page_heading(number, chinese=chinese)}\n\n{own}" if text else own
    return text


def carried_over(pages: Sequence[str]) -> list[str]:
    """Let a page end with the end of its last sentence: what stands of it on the next page is told with its beginning."""
    texts = list(pages)
    for place, (text, following) in enumerate(pairwise(pages)):
        end, begin = _LAST_LINE.search(texts[place]), _REST.match(following)
        if text and end and begin and (begin[0][0].islower() or (has_cjk(begin[0][0]) and has_cjk(end[0][-1]))):
            blank = "" if has_cjk(begin[0][0]) or end[0].endswith(HYPHEN) else " "
            texts[place] = f"{texts[place].removesuffix(HYPHEN)}{blank}{begin[0]}"
            texts[place + 1] = following[begin.end() :].lstrip()
    return texts


def _blocks(page: Sequence[PdfLine], tables: Sequence[_Table], known: frozenset[str]) -> list[str]:
    """Return the paragraphs and tables of a page."""
    blocks: list[str] = []
    prose: list[PdfLine] = []
    waiting = list(tables)
    for line in page:
        inside = next((table for table in tables if _inside(line, table)), None)
        if inside is None:
            prose.append(line)
        elif inside in waiting:
            waiting.remove(inside)
            blocks += [*paragraphs(whole_rows(in_columns(prose)), known), inside[1]]
            prose = []
    return [*blocks, *paragraphs(whole_rows(in_columns(prose)), known)]


def _inside(line: PdfLine, table: _Table) -> bool:
    left, bottom, right, top = table[0]
    return left <= (line.left + line.right) / 2 <= right and bottom <= (line.bottom + line.top) / 2 <= top


def _tables(data: bytes, numbers: Sequence[int]) -> dict[int, list[_Table]]:
    """Return the ruled tables of some pages, as far as there is time."""
    found: dict[int, list[_Table]] = {}
    until = time.monotonic() + TABLE_SECONDS
    try:
        with pdfplumber.open(io.BytesIO(data), pages=[number + 1 for number in numbers]) as file:
            for number, page in zip(numbers, file.pages if numbers else [], strict=True):
                if time.monotonic() > until:
                    break
                for table in page.find_tables():
                    left, top, right, bottom = table.bbox
                    if markdown := _markdown(table.extract()):
                        box = (left, float(page.height) - bottom, right, float(page.height) - top)
                        found.setdefault(number, []).append((box, markdown))
                page.close()
    except Exception:  # noqa: BLE001 - a broken PDF raises anything, and PDFium has read its lines
        return found
    return found


def _markdown(rows: Sequence[Sequence[str | None]]) -> str:
    """Return a table as Markdown; empty if it is none: a single row or column, mostly empty, or a page in boxes."""
    cells = [cut for row in rows if any(row) for cut in _cut([cell or "" for cell in row])]
    filled = [cell for row in cells for cell in row if cell]
    if len(cells) < 2 or len(cells[0]) < 2 or len(filled) < LEAST_FILLED * sum(map(len, cells)):
        return ""
    if mean(map(len, filled)) > LONGEST_CELL:
        return ""
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * len(cells[0])}", *lines[1:]])


def _cut(row: Sequence[str]) -> list[list[str]]:
    """Return a row of a grid as one row of cells, or as several where only every few of them have a rule between."""
    heights = {len(cell.splitlines()) for cell in row if cell}
    several = len(heights) == 1 and max(heights) > 2
    parts = (
        [[cell.splitlines()[place] if cell else "" for cell in row] for place in range(max(heights))]
        if several
        else [row]
    )
    return [[" ".join(cell.split()).replace("|", "\\|") for cell in part] for part in parts]


def pdf_card(data: bytes) -> Card:
    """Return the card of a PDF's properties, of a file that can be opened."""
    with pypdfium2.PdfDocument(data) as file:
        written = {name: file.get_metadata_value(key) for key, name in _PROPERTIES.items()}
    return properties_card([*(written | {"created": written["created"].removeprefix("D:")[:8]}).items()])
