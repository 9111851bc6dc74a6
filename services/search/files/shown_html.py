"""Writes into a page of HTML what its layout shows and its text alone would not: raised numbers, merged cells in each row that they take, blocks apart, what is struck out."""

import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy

from lxml import etree
from lxml.html import HtmlElement

_BAR = re.compile(r"(?<!\\)\|")
_EXPONENT = re.compile(r"[-−]?\d{1,6}")
"""A raised number, which is another number without a sign of that: `2^31`."""
_BLOCKS = "address aside center details dialog dir fieldset figure form hgroup legend main menu search summary".split()
"""Elements that a browser shows as blocks, by the HTML standard, and markdownify as words of a line."""
_STRUCK = re.compile(r"text-decoration(?:-line)?\s{0,9}:[^;]{0,99}line-through", re.IGNORECASE)
_SPAN = re.compile(r"\s*\d{1,5}")
MAX_ACROSS = 100
"""Columns that one cell takes at most."""
MAX_TAKEN = 100_000
"""Places of a table that merged cells may take."""
LONGEST_LABEL = 200
"""Characters of a merged cell that are repeated; longer ones are no labels, but parts of a layout."""

Place = tuple[int, int, bool]
"""The row and the number of the cell that takes a place, and whether it is the cell's first column."""


def as_shown(tree: HtmlElement) -> None:
    """Mark the raised numbers of a page, leave words without their glosses, and give each row of its tables all cells that a reader sees in it."""
    for gloss in list(tree.iter("rp", "rt")):
        gloss.drop_tree()
    for raised in tree.iter("sup"):
        if _EXPONENT.fullmatch(raised.text_content().strip()):
            raised.text = f"^{(raised.text or '').lstrip()}"
    left = MAX_TAKEN
    for table in list(tree.iter("table")):
        left -= _fill(table, left)


def blocks_apart(tree: HtmlElement) -> None:
    """Let what a browser shows in lines of its own, or struck out by its style, be such for a converter that knows fewer elements."""
    for block in tree.iter(_BLOCKS):
        block.tag = "div"
    for words in tree.iter("font", "span"):
        if _STRUCK.search(words.get("style", "")):
            words.tag = "s"


def cells_in_lines(tree: HtmlElement) -> None:
    """Let each cell of a page's tables be a part of a line of Markdown: what is set in lines is in one, and a bar is none of its ends."""
    for cell in tree.iter("td", "th"):
        if cell.find(".//table") is not None:
            continue
        for block in list(cell.iter("pre")):
            block.tag = "code"
            for code in block.findall("code"):
                code.drop_tag()
        for element in cell.iter(etree.Element):
            element.text = _within_cell(element.text)
            if element is not cell:
                element.tail = _within_cell(element.tail)


def _within_cell(text: str | None) -> str | None:
    return text and _BAR.sub("\\|", text)


def places_of(spans: Sequence[Sequence[tuple[int, int]]], left: int = MAX_TAKEN) -> list[list[Place | None]]:
    """Return which cell takes each place of a table, by the rows and columns that each cell of its rows takes; None for gaps.

    A cell takes no more columns than the widest row that has other cells. Merged cells take `left` further places at most.
    """
    taken: list[dict[int, Place]] = [{} for _ in spans]
    widest = max((sum(columns or 1 for _, columns in cells) for cells in spans if len(cells) > 1), default=1)
    for row, cells in enumerate(spans):
        column = 0
        for number, (rows, columns) in enumerate(cells):
            while column in taken[row]:
                column += 1
            down, across = min(rows or len(spans), len(spans) - row), min(columns or 1, MAX_ACROSS, widest)
            left -= down * across - 1
            if left < 0:
                down = across = 1
            for line in taken[row : row + down]:
                for place in range(column, column + across):
                    line.setdefault(place, (row, number, place == column))
    return [[line.get(place) for place in range(max(line, default=-1) + 1)] for line in taken]


def _fill(table: HtmlElement, left_over: int) -> int:
    """Repeat what a merged cell says downwards, and among the heads also to its right, as in workbooks; its other places are empty.

    Returns:
        How many places merged cells take besides their own; `left_over` at most.
    """
    rows = table.xpath("tr | thead/tr | tbody/tr | tfoot/tr")
    cells = [row.xpath("td | th") for row in rows]
    left = Counter(row.getparent() for row in rows)
    spans: list[list[tuple[int, int]]] = []
    for row, line in zip(rows, cells, strict=True):
        most = left[row.getparent()]  # no cell reaches into another part of the table
        spans.append([(min(_span(cell, "rowspan") or most, most), _span(cell, "colspan")) for cell in line])
        left[row.getparent()] -= 1
    merged = [(row, cell) for row, line in enumerate(spans) for cell, span in enumerate(line) if span != (1, 1)]
    if not merged:
        return 0
    labels = {(row, cell) for row, cell in merged if _is_label(cells[row][cell])}
    places, depth = places_of(spans, left_over), _depth_of_heads(spans)
    for number, (row, line) in enumerate(zip(rows, places, strict=True)):
        heads = len(cells[number]) > 1 and (number < depth or all(cell.tag == "th" for cell in cells[number]))
        shown = [child for child in row if child.tag not in {"td", "th"}]
        for place in line:
            if place and place[0] == number and place[2]:
                shown.append(cells[number][place[1]])
            elif place and place[:2] in labels and (place[2] or heads):
                shown.append(deepcopy(cells[place[0]][place[1]]))
            else:
                shown.append(table.makeelement("td"))
        row[:] = shown
    _join(rows[:depth])
    return sum(map(len, places)) - sum(map(len, cells))


def _depth_of_heads(spans: Sequence[Sequence[tuple[int, int]]]) -> int:
    """Return how many rows the heads of a table take: as many as each head of its first row that does not stand above several others; 1 where these differ."""
    depths = {rows for rows, columns in spans[0] if columns == 1 or rows > 1}
    depth = max(depths, default=1)
    above_others = any(columns > 1 and rows == 1 for rows, columns in spans[0])
    return depth if above_others and len(depths) == 1 and depth < len(spans) else 1


def _join(rows: Sequence[HtmlElement]) -> None:
    """Write the heads of several rows, whose merged cells are filled, into the first: each behind those that it stands below."""
    for column in zip(*rows, strict=False):
        said = list(filter(None, dict.fromkeys(" ".join(cell.text_content().split()) for cell in column)))
        if len(said) > 1:
            column[0][:] = []
            column[0].text = " ".join(said)
    for row in rows[1:]:
        row.getparent().remove(row)


def _is_label(cell: HtmlElement) -> bool:
    return len(cell.text_content()) <= LONGEST_LABEL and cell.find(".//table") is None


def _span(cell: HtmlElement, name: str) -> int:
    """Return how many rows or columns a cell takes; 0 for all that are left."""
    written = _SPAN.match(cell.attrib.pop(name, "1"))
    return int(written[0]) if written else 1
