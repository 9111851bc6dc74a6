"""Reads the text of a PDF file: pages in the order of reading below headings with their numbers, tables as Markdown."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

import pypdfium2
import pypdfium2.raw as pdfium

from schemas.card import Card
from services.search.cards import properties_card
from services.search.pdf_headings import Block, as_markdown, blocks_of, text_size
from services.search.pdf_layout import (
    HYPHEN,
    PdfLine,
    in_columns,
    paragraphs,
    title_of,
    whole_rows,
    without_running_heads,
)
from services.search.pdf_lines import lines_of
from services.search.pdf_tables import RuledTable, ruled_tables, with_tables
from services.text.page_numbers import page_heading
from services.text.tokens import has_cjk

LEAST_RULES, MOST_RULES = 6, 1_000
"""Drawn lines and boxes of a page that may hold a ruled table; a page with more is a drawing."""
SAMPLE = 2_000
"""Characters that tell whether a file is Chinese: every tenth of them is, even between tables."""
_LAST_LINE = re.compile(r"(?<![^\n|])[^\n|]+[^\s.!?。！？:：;；|]\Z")
"""The end of a page amid a sentence."""
_REST = re.compile(r"[^\n|]+?(?:[.!?](?=\s)|[。！？]|(?=\n)|\Z)")
"""The end of a sentence at the beginning of a page."""

_PROPERTIES = {"Title": "title", "Author": "author", "CreationDate": "created"}


def pdf_text(data: bytes) -> str:
    """Return the text of a PDF file as Markdown, below the title on its first page.

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
    tables = ruled_tables(data, ruled)
    pages = without_running_heads(pages)
    known = frozenset(
        word.text.casefold().strip(".,;:()")
        for page in pages
        for line in page
        for word in line.words
        if "-" in word.text
    )
    first = next((page for page in pages if page), [])
    title = title_of(first)
    first[:] = [line for line in first if line not in title]
    size = text_size(pages)
    blocks = [_blocks(page, tables.get(number, []), size, known) for number, page in enumerate(pages)]
    texts = carried_over(["\n\n".join(page) for page in as_markdown(blocks)])
    chinese = sum(map(has_cjk, "".join(texts)[:SAMPLE])) > SAMPLE / 10
    text = f"# {' '.join(' '.join(paragraphs(title, known)).split())}" if title else ""
    for number, own in enumerate(texts, 1):
        if own.strip():
            heading = f"{page_heading(number, chinese=chinese)}\n\n" if number > 1 and text else ""
            text = f"{text}\n\n{heading}{own}".strip()
    return text


def carried_over(pages: Sequence[str]) -> list[str]:
    """Let a page end with the end of its last sentence: what stands of it on the next page is told with its beginning."""
    texts = list(pages)
    for place, (text, following) in enumerate(pairwise(pages)):
        end, begin = _LAST_LINE.search(texts[place]), _REST.match(following)
        if begin and following.startswith("\n\n|", begin.end()):  # heads above a table
            continue
        if text and end and begin and (begin[0][0].islower() or (has_cjk(begin[0][0]) and has_cjk(end[0][-1]))):
            blank = "" if has_cjk(begin[0][0]) or end[0].endswith(HYPHEN) else " "
            texts[place] = f"{texts[place].removesuffix(HYPHEN)}{blank}{begin[0]}"
            texts[place + 1] = following[begin.end() :].lstrip()
    return texts


def _blocks(page: Sequence[PdfLine], tables: Sequence[RuledTable], size: float, known: frozenset[str]) -> list[Block]:
    blocks: list[Block] = []
    prose: list[PdfLine] = []
    waiting = list(tables)
    for line in page:
        inside = next((table for table in tables if _inside(line, table)), None)
        if inside is None:
            prose.append(line)
        elif inside in waiting:
            waiting.remove(inside)
            blocks += [*_own_blocks(prose, size, known), inside[1]]
            prose = []
    return [*blocks, *_own_blocks(prose, size, known)]


def _own_blocks(lines: Sequence[PdfLine], size: float, known: frozenset[str]) -> Iterator[Block]:
    """Yield the headings, the paragraphs, and the tables without rules, of lines."""
    for part in with_tables(whole_rows(in_columns(lines))):
        if isinstance(part, str):
            yield part
        else:
            yield from blocks_of(part, size, known)


def _inside(line: PdfLine, table: RuledTable) -> bool:
    left, bottom, right, top = table[0]
    return left <= (line.left + line.right) / 2 <= right and bottom <= (line.bottom + line.top) / 2 <= top


def pdf_card(data: bytes) -> Card:
    """Return the card of a PDF's properties, of a file that can be opened. Its date is that of the file, not of what it prints."""
    with pypdfium2.PdfDocument(data) as file:
        written = {name: file.get_metadata_value(key) for key, name in _PROPERTIES.items()}
    card = properties_card([*(written | {"created": written["created"].removeprefix("D:")[:8]}).items()])
    return card.model_copy(
        update={"published": "", "dates": {"file created": card.published} if card.published else {}}
    )
