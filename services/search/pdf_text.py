"""Reads the text of a PDF file: pages in the order of reading below headings with their numbers, tables as Markdown.

PDFium gives the words of lines with their places, whole ligatures, and raised digits. Headings are short lines in larger type than the text.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, pairwise
from statistics import median
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from schemas.card import Card
from services.search.cards import properties_card
from services.search.pdf_layout import (
    HYPHEN,
    SAME_TYPE,
    PdfLine,
    Word,
    in_columns,
    paragraphs,
    title_of,
    whole_rows,
    without_running_heads,
)
from services.search.pdf_tables import RuledTable, ruled_tables, with_tables
from services.text.normal_form import normal_form
from services.text.page_numbers import page_heading
from services.text.tokens import has_cjk

LARGER = 1.08
"""How many times as high as the text a heading is at least."""
MOST_LINES, LONGEST = 4, 160
"""Lines of a heading with those directly below it, and characters of one."""
LEAST_PROSE = 120
"""Characters of a paragraph with which the text begins: what stands above it are names below the title, but for the last."""
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


def blocks_of(lines: Sequence[PdfLine], size: float, known: frozenset[str]) -> Iterator[Block]:
    """Yield the headings and paragraphs of lines; `size` is that of the file's text. Many lines in larger type are text, too."""
    text: list[PdfLine] = []
    for larger, run in groupby(lines, lambda line: line.type_size >= LARGER * size > 0):
        found = list(run)
        headings = list(_headings(found, known)) if larger and len(found) <= MOST_LINES else []
        if not headings:
            text += found
            continue
        yield from paragraphs(text, known)
        yield from headings
        text = []
    yield from paragraphs(text, known)


def _headings(lines: Sequence[PdfLine], known: frozenset[str]) -> Iterator[Block]:
    for run in _of_one_type(lines):
        for text in paragraphs(run, known):
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
    begin = next((at for at, block in enumerate(blocks) if isinstance(block, str) and len(block) >= LEAST_PROSE), 0)
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


_HYPHENS = frozenset({0x02, 0xAD, 0xFFFE})
"""Characters by which PDFium marks that a word goes on in the next line."""
_LIGATURES = re.compile("[\ufb00-\ufb06]")
SMALL, RAISED = 0.85, 0.15
"""Of the height of a word's first sign: the most height of a raised one, and how far it stands above at least."""
_DIGITS = re.compile(r"\D{0,60}(\d{1,12})")


def lines_of(page: pypdfium2.PdfPage) -> list[PdfLine]:
    """Return the lines of a page in the order in which it was written, which is that of reading in most files.

    A page whose fonts have no character map has none.
    """
    text = page.get_textpage()
    if not is_legible(text):
        return []
    codes = [pdfium.FPDFText_GetUnicode(text, place) for place in range(text.count_chars())]
    turned = page.get_rotation()
    lines: list[PdfLine] = []
    for places in _runs(codes):
        words, boxes = list[Word](), list[tuple[float, float, float, float]]()
        for first, last in places:
            edges = [_box(text, place, turned) for place in (first, last)]
            boxes += edges
            word = "".join(HYPHEN if code in _HYPHENS else chr(code) for code in codes[first : last + 1])
            if (place := _raised(text, word, first, turned)) is not None:
                word = f"{word[:place]}^{word[place:]}"
            word = word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            word = _LIGATURES.sub(lambda match: normal_form("NFKC", match.group()), word).replace("\u2010", "-")
            words.append(Word(word, min(edge[0] for edge in edges), max(edge[2] for edge in edges)))
        if words:
            size = median(top - bottom for _, bottom, _, top in boxes)
            lines.append(PdfLine(tuple(words), min(box[1] for box in boxes), max(box[3] for box in boxes), size))
    text.close()
    return lines


def _raised(text: Any, word: str, first: int, turned: int) -> int | None:
    """Return the place of the first digit of a word in small, raised type: of an exponent, or of a note."""
    match = _DIGITS.match(word)
    if match is None:
        return None
    _, bottom, _, top = _box(text, first, turned)
    for place in range(*match.span(1)):
        _, low, _, high = _box(text, first + place, turned)
        if place and high - low < SMALL * (top - bottom) and low - bottom > RAISED * (top - bottom):
            return place
    return None


def is_legible(text: pypdfium2.PdfTextPage) -> bool:
    """Tell whether the fonts of a page map most of its glyphs to characters; else only OCR can read it."""
    signs = [place for place in range(text.count_chars()) if pdfium.FPDFText_GetUnicode(text, place) > 0x20]
    unknown = [place for place in signs if pdfium.FPDFText_HasUnicodeMapError(text, place) == 1]
    return 2 * len(unknown) <= len(signs)


def _runs(codes: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Yield the words of each line, as places of their first and last characters."""
    words: list[tuple[int, int]] = []
    start = -1
    for place, code in enumerate([*codes, 0x0A]):
        hyphen, blank = code in _HYPHENS, code <= 0x20 or code == 0xA0
        if hyphen or not blank:
            start = place if start < 0 else start
        if (hyphen or blank) and start >= 0:
            words.append((start, place if hyphen else place - 1))
            start = -1
        if hyphen or code in {0x0A, 0x0D}:
            yield words
            words = []


def _box(text: Any, place: int, turned: int) -> tuple[float, float, float, float]:
    """Return left, bottom, right and top of a character on a page that is turned so many degrees."""
    box = pdfium.FS_RECTF()
    pdfium.FPDFText_GetLooseCharBox(text, place, box)
    left, bottom, right, top = box.left, box.bottom, box.right, box.top
    return {
        90: (bottom, -right, top, -left),
        180: (-right, -top, -left, -bottom),
        270: (-top, left, -bottom, right),
    }.get(turned, (left, bottom, right, top))


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
