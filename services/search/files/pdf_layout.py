"""Puts the lines of pages into the order of reading: below their title, without running heads and feet, columns one after the other, as paragraphs."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, median
from typing import NamedTuple

from services.text.tokens import has_cjk

HYPHEN = "\u00ad"
"""Ends the last word of a line that goes on in the next one."""

EDGE_LINES = 2
"""Lines at the top and at the bottom of a page that may be a running head or foot."""
LEAST_REPEATS = 3
"""Pages on which a line stands to be a running head or foot."""
GUTTER = 0.7
"""Least width of a gap between two columns, in heights of its line."""
CELL_GAP = 1.8
"""Least width of a gap between the cells of a table, likewise; stretched blanks of prose are narrower."""
LEAST_ROWS, MOST_DIVIDED = 3, 0.5
"""Lines in which a gap stands at one place to be one between columns, and their share of those that reach over it; fewer are stretched blanks."""
PROSE_WORDS = 3.0
"""Words on either side of a gap, on average, if it is one between columns of prose and not of a table."""
FILLED = 0.6
"""Share of the lines left of a gap that reach it, likewise."""
HALF, THIRD = 0.5, 0.3
"""Least share of their height at which two lines stand side by side to be one line, and to be in two columns."""
TURNED = 4
"""How many times as high as its neighbour a line is whose text was turned."""
NEW_PARAGRAPH, WIDER = 0.6, 1.25
"""Least distance of a new paragraph from the line above: in heights of a line, and as a multiple of the usual one."""
MOST_APART = 2.0
"""Most distance of two lines of a text, in heights of a line."""
OTHER_FONT = 0.2
"""Least difference in height of a line in another font, as a share."""
LARGER = 1.15
"""How many times as high as the lines of its page a title is at least."""
SAME_TYPE = 0.05
"""Most difference in height of the lines of a title, as a share."""
TITLE_LINES = 5
LONGEST_TITLE = 200
"""Characters of a title."""
WINDOW = 12
"""Lines around a line that tell how wide its column is."""
_ITEM = re.compile(r"[-*+•◦▪–—·]|\(?\w{1,3}[.)、]|\[\d{1,3}\]")
"""Mark of an item of a list, as a word of its own."""
_WITHOUT_BLANK = re.compile(r"\w[-–/]\Z")
_WIDE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
"""Chinese and Japanese, whose lines are joined without a blank."""
_FIRST_NUMBER = re.compile(r"\D{0,12}(?<!\d)(\d{1,5})(?!\d)")
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,5})\D{0,12}\Z")
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its left and right edge in points."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Words in a line, its lower and upper edge in points from below, and the height of most of its signs."""

    words: tuple[Word, ...]
    bottom: float
    top: float
    type_size: float

    @property
    def text(self) -> str:
        """Its words with blanks between them."""
        return " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        """Its left edge."""
        return min(word.left for word in self.words)

    @property
    def right(self) -> float:
        """Its right edge."""
        return max(word.right for word in self.words)

    @property
    def height(self) -> float:
        """Its height, about that of its font."""
        return self.top - self.bottom

    def of(self, words: Sequence[Word]) -> "PdfLine":
        """Return a line of some of its words."""
        return PdfLine(tuple(words), self.bottom, self.top, self.type_size)


def _is_phrase(text: str) -> bool:
    """Tell whether a text has two words, or four Chinese characters, as a title that is told from a sign."""
    return sum(_WORD.search(word) is not None for word in text.split()) > 1 or sum(map(has_cjk, text)) > 3


def title_of(page: Sequence[PdfLine]) -> list[PdfLine]:
    """Return the lines of a title: those in the largest type of a first page; empty where nothing is larger than its text."""
    usual = median(line.type_size for line in page) if page else 0.0
    sizes = [line.type_size if _WORD.search(line.text) and line.height < TURNED * usual else 0.0 for line in page]
    largest = max((size for size, line in zip(sizes, page, strict=True) if _is_phrase(line.text)), default=0.0)
    if largest <= LARGER * usual:
        return []
    alike = [abs(size - largest) <= SAME_TYPE * largest for size in sizes]
    end = first = sizes.index(largest)
    while first and alike[first - 1]:
        first -= 1
    while end + 1 < len(page) and alike[end + 1]:
        end += 1
    lines = list(page[first : end + 1])
    return lines if len(lines) <= TITLE_LINES and sum(len(line.text) for line in lines) <= LONGEST_TITLE else []


def without_running_heads(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """Remove lines that repeat at the top or bottom of many pages, also those with a page number.

    The first occurrence of a line without a number stays, as it may be the title.
    """
    edges = [[(line, set(_forms(line.text, number))) for line in _edges(page)] for number, page in enumerate(pages)]
    counts = Counter(form for lines in edges for form in {form for _, forms in lines for form in forms})
    min_pages = min(LEAST_REPEATS, max(2, len(pages)))
    seen: set[str] = set()
    remaining: list[list[PdfLine]] = []
    for page, lines in zip(pages, edges, strict=True):
        left_out = {
            id(line)
            for line, forms in lines
            if any(counts[form] >= min_pages and (form != line.text or form in seen) for form in forms)
        }
        seen.update(line.text for line, _ in lines)
        remaining.append([line for line in page if id(line) not in left_out])
    return remaining


def _edges(page: Sequence[PdfLine]) -> list[PdfLine]:
    rows = sorted(page, key=lambda line: -line.top)
    return [*rows[:EDGE_LINES], *rows[max(EDGE_LINES, len(rows) - EDGE_LINES) :]]


def _forms(text: str, page: int) -> Iterator[str]:
    """Yield the forms in which a line may repeat on other pages: as it is, and with a number replaced by its distance to the page's number."""
    if _WORD.search(text):
        yield text
    for match in (_FIRST_NUMBER.match(text), _LAST_NUMBER.search(text)):
        if match:
            yield f"{text[: match.start(1)]}#{int(match[1]) - page}#{text[match.end(1) :]}"


def in_columns(lines: Sequence[PdfLine]) -> list[PdfLine]:
    """Take columns of prose apart that were written line by line over the page, and return the left one first."""
    rows = _rows(lines)
    if (gutter := _gutter(rows)) is None:
        return list(lines)
    ordered: list[PdfLine] = []
    sides: tuple[list[PdfLine], list[PdfLine]] = ([], [])
    for row in [*rows, []]:
        parts = [
            [[word for word in line.words if word.right <= gutter] for line in row],
            [[word for word in line.words if word.left >= gutter] for line in row],
        ]
        if row and sum(len(words) for part in parts for words in part) == sum(len(line.words) for line in row):
            for side, part in zip(sides, parts, strict=True):
                side += [line.of(words) for line, words in zip(row, part, strict=True) if words]
            continue
        ordered += [*in_columns(sides[0]), *in_columns(sides[1]), *row]
        sides = ([], [])
    return ordered


def whole_rows(lines: Iterable[PdfLine]) -> list[PdfLine]:
    """Join the parts of each line: the cells of a table, and what a raised character divides, are written as lines of their own."""
    joined: list[PdfLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last and line.left >= last.right and beside(last, line) > HALF:
            widest = max(last, line, key=lambda part: part.right - part.left)
            joined[-1] = widest.of([*last.words, *line.words])
        else:
            joined.append(line)
    return joined


def beside(line: PdfLine, other: PdfLine) -> float:
    """Return the share of the lower line's height at which two lines stand side by side; 0 beside text that was turned."""
    low, high = sorted((line.height, other.height))
    shared = min(line.top, other.top) - max(line.bottom, other.bottom)
    return shared / low if low > 0 and high < TURNED * low else 0.0


def _rows(lines: Iterable[PdfLine]) -> list[list[PdfLine]]:
    rows: list[list[PdfLine]] = []
    for line in lines:
        above = rows[-1][-1] if rows else None
        if above and beside(above, line) > THIRD and (line.left >= above.right or line.right <= above.left):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _gutter(rows: Sequence[Sequence[PdfLine]]) -> float | None:
    """Return the place between two columns of prose that a page has side by side in its rows; None where it has none."""
    edges = sorted(edge for row in rows for left, right in _gaps(row) for edge in ((left, 1), (right, -1)))
    best, max_gaps, open_gaps = 0.0, 0, 0
    for (place, change), (following, _) in pairwise(edges):
        open_gaps += change
        if open_gaps > max_gaps and following > place:
            best, max_gaps = (place + following) / 2, open_gaps
    if max_gaps < LEAST_ROWS:
        return None
    places = [place for place, row in enumerate(rows) if any(left < best < right for left, right in _gaps(row))]
    divided = [rows[place] for place in places]
    between = [[word for line in row for word in line.words] for row in rows[places[0] : places[-1] + 1]]
    across = sum(min(word.left for word in words) < best < max(word.right for word in words) for words in between)
    if len(divided) < MOST_DIVIDED * across:
        return None
    lefts = [[word for line in row for word in line.words if word.right <= best] for row in divided]
    rights = [[word for line in row for word in line.words if word.left >= best] for row in divided]
    ends = [max(word.right for word in words) for words in lefts]
    width = max(ends) - min(word.left for words in lefts for word in words)
    reaching = mean(max(ends) - end < 0.15 * width for end in ends)
    is_prose = min(mean_length(lefts), mean_length(rights)) >= PROSE_WORDS
    return best if is_prose and reaching >= FILLED else None


def mean_length(pieces: Sequence[Sequence[Word]]) -> float:
    """Return the mean number of words with letters in some pieces; eight characters of Chinese count as three."""
    return mean(
        sum(
            max(1.0, 3 * len(word.text) / 8) if has_cjk(word.text) else any(map(str.isalpha, word.text))
            for word in words
        )
        for words in pieces
    )


def _gaps(row: Sequence[PdfLine]) -> list[tuple[float, float]]:
    words = sorted((word for line in row for word in line.words), key=lambda word: word.left)
    min_gap = GUTTER * median(line.height for line in row)
    return [(before.right, after.left) for before, after in pairwise(words) if after.left - before.right >= min_gap]


class Usual(NamedTuple):
    """What is usual in a file: the size of its type, its words with hyphens, and the distance between its lines in heights of one."""

    size: float = 0.0
    known: frozenset[str] = frozenset()
    distance: float = 0.0


def paragraphs(lines: Sequence[PdfLine], usual: Usual) -> Iterator[str]:
    """Yield the paragraphs of lines: those that prose was wrapped into are joined, those of lists and tables are not.

    The known words of the file tell whether a hyphen at the end of a line belongs to the word.
    """
    text, apart = "", max(NEW_PARAGRAPH, WIDER * usual.distance)
    for place, line in enumerate(lines):
        above = lines[place - 1] if place else None
        if above is None:
            text = line.text
        elif _goes_on(lines, place, apart):
            text = _joined(text, line.text, usual.known)
        elif _apart(above, line, apart):
            yield text
            text = line.text
        else:
            text = f"{text}\n{line.text}"
    if text:
        yield text


def usual_distance(lines: Iterable[PdfLine]) -> float:
    """Return the distance between lines that is usual in a file, also one in double spacing, in heights of a line."""
    gaps = ((above.bottom - line.top) / line.height for above, line in pairwise(lines) if line.height > 0)
    return median([gap for gap in gaps if -1 < gap < MOST_APART] or [0.0])


def _apart(above: PdfLine, line: PdfLine, distance: float) -> bool:
    gap = above.bottom - line.top
    return _other_font(above, line) or not -line.height < gap < distance * line.height


def _other_font(line: PdfLine, other: PdfLine) -> bool:
    return abs(line.height - other.height) > OTHER_FONT * max(line.height, other.height)


_FIELD = re.compile(r"[^\W\d_][^:：\n]{0,29}(?::\s|：)")
"""The beginning of a line `Key: value`."""


def _goes_on(lines: Sequence[PdfLine], place: int, distance: float) -> bool:
    """Tell whether a line continues the sentence of the line above, which had no room for its first word."""
    above, line = lines[place - 1], lines[place]
    if above.words[-1].text.endswith(HYPHEN):
        return True
    below = above.bottom - line.top
    if _other_font(above, line) or _ITEM.fullmatch(line.words[0].text) or _has_cells(above) or _has_cells(line):
        return False
    if all(map(_FIELD.match, (above.text, line.text))) and above.text[0].islower() == line.text[0].islower():
        return False
    if distance * line.height <= below:
        return False
    around = lines[max(0, place - WINDOW) : place + WINDOW]
    edge = max(
        other.right
        for other in around
        if abs(other.left - above.left) < 2 * above.height and not _other_font(other, above)
    )
    first = line.words[0]
    letters = len(first.text) if has_cjk(first.text) else 1
    return above.right + (first.right - first.left) / letters + 0.2 * line.height > edge


def _has_cells(line: PdfLine) -> bool:
    return any(after.left - before.right >= CELL_GAP * line.height for before, after in pairwise(line.words))


def _joined(text: str, more: str, known: frozenset[str]) -> str:
    if text.endswith((HYPHEN, "-")) and more[:1].islower():
        stem, (rest, *_) = text[:-1], more.split(maxsplit=1)
        hyphened = f"{stem.rsplit(maxsplit=1)[-1] if stem.strip() else ''}-{rest}".casefold().strip(".,;:")
        return f"{stem}-{more}" if hyphened in known else f"{stem}{more}"
    if text.endswith(HYPHEN):
        return f"{text[:-1]}-{more}"
    if _WITHOUT_BLANK.search(text[-2:]) or _WIDE.search(text[-1:] + more[:1]):
        return f"{text}{more}"
    return f"{text} {more}"
