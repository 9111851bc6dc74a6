"""Reads the text of a PDF file: pages in the order of reading below headings with their numbers, tables as Markdown.

Headings are short lines in larger type than the text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, pairwise
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from schemas.card import Card
from services.search.files.cards import properties_card
from services.search.files.pdf_forms import with_fields
from services.search.files.pdf_layout import (
    HYPHEN,
    SAME_TYPE,
    PdfLine,
    Usual,
    in_columns,
    paragraphs,
    title_of,
    usual_distance,
    whole_rows,
    without_running_heads,
)
from services.search.files.pdf_lines import lines_of
from services.search.files.pdf_tables import RuledTable, ruled_tables, with_tables
from services.text.page_numbers import page_heading
from services.text.tokens import has_cjk
from services.text.wrapped_lines import WRAPPED, columns

LARGER = 1.08
"""How many times as high as the text a heading is at least."""
MOST_LINES, LONGEST = 4, 160
"""Lines of a heading with those directly below it, and characters of one."""
LEAST_PROSE = 120
"""Columns of a paragraph with which the text begins: what stands above it are names below the title, but for the last."""
TOP, DEEPEST = 2, 6
"""Levels of headings in Markdown; the title has the first."""
_BEGIN = re.compile(r"[\W_]{0,2}(?![a-z])\w")
_WORD = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")
_NUMBER = re.compile(r"\d{1,2}((?:\.\d{1,2}){0,4})\.?\s")
_MARK = re.compile(r"(?m)^(?=#{1,6}[ \t])")


class Heading(NamedTuple):
    """A heading, and the size of its type."""

    text: str
    size: float


Block = Heading | str


def text_size(pages: Iterable[Iterable[PdfLine]]) -> float:
    """Return the size of type of most of a file's text; 0 without any."""
    sizes = Counter[float]()
    for line in chain.from_iterable(pages):
        sizes[round(line.type_size, 1)] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def blocks_of(lines: Sequence[PdfLine], usual: Usual) -> Iterator[Block]:
    """Yield the headings and paragraphs of lines. Many lines in larger type are text, too."""
    text: list[PdfLine] = []
    for larger, run in groupby(lines, lambda line: line.type_size >= LARGER * usual.size > 0):
        found = list(run)
        headings = list(_headings(found, usual)) if larger and len(found) <= MOST_LINES else []
        if not headings:
            text += found
            continue
        yield from paragraphs(text, usual)
        yield from headings
        text = []
    yield from paragraphs(text, usual)


def _headings(lines: Sequence[PdfLine], usual: Usual) -> Iterator[Block]:
    for run in _of_one_type(lines):
        for text in paragraphs(run, usual):
            for part in text.split("\n"):
                is_heading = len(part) <= LONGEST and _BEGIN.match(part) and _WORD.search(part)
                yield Heading(part, run[0].type_size) if is_heading else part


def _of_one_type(lines: Sequence[PdfLine]) -> Iterator[list[PdfLine]]:
    """Yield lines of one size of type; a number begins another heading."""
    run: list[PdfLine] = []
    for line in lines:
        other = run and abs(line.type_size - run[0].type_size) > SAME_TYPE * run[0].type_size
        if run and (other or _NUMBER.match(line.text)):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def as_markdown(pages: Sequence[Sequence[Block]]) -> list[list[str]]:
    """Return the blocks of pages with their headings as Markdown.

    The size of type tells the level of a heading, or the number of its section: `2.1` is below `2`.
    """
    blocks = list(chain.from_iterable(pages))
    begin = next((at for at, block in enumerate(blocks) if isinstance(block, str) and columns(block) >= LEAST_PROSE), 0)
    front = {*[at for at in range(begin) if isinstance(blocks[at], Heading)][:-1]}
    sizes: list[float] = []
    for size in sorted(
        (block.size for at, block in enumerate(blocks) if isinstance(block, Heading) and at not in front), reverse=True
    ):
        if not sizes or size < (1 - SAME_TYPE) * sizes[-1]:
            sizes.append(size)
    written = []
    for at, block in enumerate(blocks):
        if isinstance(block, str) or at in front:
            written.append(_MARK.sub(r"\\", block if isinstance(block, str) else block.text))
            continue
        rank = next(place for place, size in enumerate(sizes) if block.size >= (1 - SAME_TYPE) * size)
        number = _NUMBER.match(block.text)
        depth = max(rank, number[1].count(".")) if number else rank
        written.append(f"{'#' * min(TOP + depth, DEEPEST)} {block.text}")
    each = iter(written)
    return [[next(each) for _ in page] for page in pages]


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
        if file.get_formtype() != pdfium.FORMTYPE_NONE:
            file.init_forms()
        for number in range(len(file)):
            try:
                page = file[number]
            except pypdfium2.PdfiumError:  # a broken page; the others are worth reading
                pages.append([])
                continue
            pages.append(with_fields(page, lines_of(page)))
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
    usual = Usual(text_size(pages), known, usual_distance(chain.from_iterable(pages)))
    blocks = [_blocks(page, tables.get(number, []), usual) for number, page in enumerate(pages)]
    texts = carried_over(["\n\n".join(page) for page in as_markdown(blocks)])
    sample = "".join(texts)[:SAMPLE]
    chinese = sum(map(has_cjk, sample)) > len(sample) / 10
    text = f"# {' '.join(' '.join(paragraphs(title, usual)).split())}" if title else ""
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
        if not (text and end and begin):
            continue
        chinese = has_cjk(begin[0][0]) and has_cjk(end[0][-1]) and columns(end[0]) >= WRAPPED
        if chinese or begin[0][0].islower():
            blank = "" if has_cjk(begin[0][0]) or end[0].endswith(HYPHEN) else " "
            texts[place] = f"{texts[place].removesuffix(HYPHEN)}{blank}{begin[0]}"
            texts[place + 1] = following[begin.end() :].lstrip()
    return texts


def _blocks(page: Sequence[PdfLine], tables: Sequence[RuledTable], usual: Usual) -> list[Block]:
    blocks: list[Block] = []
    prose: list[PdfLine] = []
    waiting = list(tables)
    for line in page:
        inside = next((table for table in tables if _inside(line, table)), None)
        if inside is None:
            prose.append(line)
        elif inside in waiting:
            waiting.remove(inside)
            blocks += [*_own_blocks(prose, usual), inside[1]]
            prose = []
    return [*blocks, *_own_blocks(prose, usual)]


def _own_blocks(lines: Sequence[PdfLine], usual: Usual) -> Iterator[Block]:
    """Yield the headings, the paragraphs, and the tables without rules, of lines."""
    for part in with_tables(whole_rows(in_columns(lines))):
        if isinstance(part, str):
            yield part
        else:
            yield from blocks_of(part, usual)


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
