"""Lays out cards, tables, charts and diagrams on slides, as many as fit; a table of comparable figures has a chart."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise, zip_longest

from schemas.chart import MAX_POINTS, Chart, Series
from schemas.document import Block, Code, Drawing, Mark, Paragraph, Quotation, Table
from services.reports.charts.written import chart_rows, with_unit
from services.reports.columns import largest_size, width
from services.reports.document import ParsedReport, Picture, citations_in, is_label, letters, words
from services.reports.formulas import in_line
from services.reports.slides.slide import (
    CELL,
    COLONS,
    HIGH,
    ROOM,
    TABLE_HIGH,
    TABLE_SIZES,
    TITLE,
    ShownCard,
    Slide,
    block_cards,
    cards_height,
    cell_text,
    halves,
    introduction,
    item_card,
    numbers_in,
    pieces,
    row_height,
    table_columns,
)

MIN_BARS = 3
"""Minimum rows for a chart."""
_UNIT_IN_HEADER = re.compile(r"^(.*\S)\s*[(（]([^()（）\d]{1,20})[)）]$")
_FIGURE = re.compile(
    r"([-−]?)(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d{1,10})?(?: ?± ?\d[\d,.]{0,15})?\s?([^\W\d_]{1,12}|%|°C)?"
)
"""A cell that is a number with an optional uncertainty and unit."""
DIAGRAM_WIDE, DIAGRAM_HIGH = 1150, 510
"""Maximum size of a diagram in pixels on a slide of 1280 by 720."""
MIN_SCALE = 0.6
"""Minimum scale at which a diagram is readable; larger diagrams stay text."""
PACKED_SIZE, TABLE_SIZE = 18, 14
"""Smallest font sizes of cards and tables in points, at which slides are filled."""
MAX_ROWS = 5
"""Maximum cards of a slide."""
PIECE = 400
"""Half-width characters of a piece of a card that is higher than a slide."""
INSIDE = 0.3
"""What a slide costs that begins inside of a paragraph, beside the square of the part of it that is empty."""


def headed(blocks: Sequence[Block]) -> Iterator[tuple[str, Block]]:
    """Yield blocks with the title of their source, or an empty text: a line in bold is that of the quotes, tables and code below it."""
    source = ""
    for block, after in zip_longest(blocks, blocks[1:]):
        if isinstance(block, Paragraph) and is_label(block.content) and isinstance(after, Quotation | Table | Code):
            source = words(block.content)
            continue
        if not isinstance(block, Quotation | Table | Code):
            source = ""
        yield source, block


def chart_of(table: Table, title: str) -> Drawing | None:
    """Return the chart of the first column of figures that have one unit, which the header or every cell names; else None.

    A table without citations, without names in its first column, or in which a row has no figure or several gets none.
    """
    names = [words(row[0]) for row in table.rows]
    cited = dict.fromkeys(citation for row in table.rows for cell in row for citation in citations_in(cell))
    sources = list(dict.fromkeys(key for citation in cited for key in citation.excerpts))
    if not MIN_BARS <= len(names) <= MAX_POINTS or len(set(names)) < len(names) or not all(names) or not sources:
        return None
    for column in range(1, len(table.header)):
        matches = [match for row in table.rows if (match := _FIGURE.fullmatch(words(row[column])))]
        header = words(table.header[column])
        named = _UNIT_IN_HEADER.match(header)
        name, unit = named.groups() if named else (header, "")
        units = {match[4] or "" for match in matches}
        if len(matches) < len(table.rows) or len(units) > 1 or not (unit or units - {""}):
            continue
        values = [float(f"{'-' if match[1] else ''}{match[2].replace(',', '')}{match[3] or ''}") for match in matches]
        chart = Chart(
            type="bar",
            title=f"{title}: {name}"[:120],
            categories=[name[:120] for name in names],
            series=[Series(values=values)],
            unit=unit or units.pop(),
            sources=sources[:50],
        )
        return Drawing(chart, tuple(cited))
    return None


def block_slides(title: str, blocks: Sequence[Block], report: ParsedReport, shown: Collection[str] = ()) -> list[Slide]:
    """Lay the blocks of a section out on slides: texts as cards; tables, charts and diagrams on their own slides.

    If all are of sources and need several slides, they are divided by source, whose title is the title of its slides. Cards whose letters
    are `shown` on earlier slides are not repeated.
    """
    pairs = [*headed(blocks)]
    slides = _laid_out(title, pairs, report, shown)
    if len(slides) < 2 or not all(source for source, _ in pairs):
        return slides
    by_source: dict[str, list[tuple[str, Block]]] = {}
    for source, block in pairs:
        by_source.setdefault(source, []).append((source, block))
    divided: list[Slide] = []
    for source, own in by_source.items():
        over = "" if source == title else title
        divided += [replace(slide, subtitle=over) for slide in _laid_out(source, own, report, shown)]
    return divided


def _laid_out(
    title: str, pairs: Sequence[tuple[str, Block]], report: ParsedReport, shown: Collection[str]
) -> list[Slide]:
    slides: list[Slide] = []
    cards: list[ShownCard] = []
    charted = any(isinstance(block, Drawing) for _, block in pairs)

    def turn_over(*, figure: bool = False) -> ShownCard:
        """Lay out the cards so far; of a figure's introduction, which they end with, return the title."""
        nonlocal slides, cards
        fresh = [card for card in cards if letters(card.text) not in shown]
        over = fresh.pop() if figure and fresh and fresh[-1].leads and fresh[-1].text.endswith(COLONS) else None
        slides, cards = slides + card_slides(title, fresh), []
        return over or ShownCard("")

    for source, block in pairs:
        if isinstance(block, Table | Drawing):
            over = turn_over(figure=not source)
            over = ShownCard(source) if source and letters(source) != letters(title) else over
            slides += figure_slides(title, block, report, over, charted=charted)
        elif picture := readable_picture(block, report):
            over = turn_over(figure=True)
            slides.append(_under(over, Slide("diagram", title, picture=picture)))
        elif introduced := introduction(block):
            cards.append(replace(introduced, text=f"{introduced.text}:", leads=width(introduced.text) <= TITLE))
        else:
            quoted = quote_cards(source, block, title) if source and isinstance(block, Quotation) else []
            for card in quoted or block_cards(block):
                if card.text or card.numbers or not cards:
                    cards.append(card)
                else:  # a mark behind a block that has no sentence
                    cards[-1] = replace(cards[-1], mark=card.mark, reasons=(*cards[-1].reasons, *card.reasons))
    turn_over()
    return slides


def figure_slides(
    title: str, block: Table | Drawing, report: ParsedReport, point: ShownCard | None = None, *, charted: bool = False
) -> list[Slide]:
    """Lay out a table, or a chart; a table of comparable figures has a chart before it, unless its section is `charted`."""
    over = point or ShownCard("")
    if isinstance(block, Drawing):
        slide = chart_slide(block)
        return [replace(_under(over, replace(slide, title=title)), caption=slide.title) if over.text else slide]
    chart = None if charted else chart_of(block, title)
    drawn = [chart_slide(chart)] if chart else []
    return [*drawn, *(_under(over, slide) for slide in table_slides(title, block))]


def _under(point: ShownCard, slide: Slide) -> Slide:
    """Give a slide a sentence as its title, and its title as the heading above it."""
    if not point.text:
        return slide
    numbers = tuple(dict.fromkeys([*point.numbers, *slide.numbers]))
    return replace(slide, title=point.as_title, subtitle=slide.title, numbers=numbers)


def main_cards(block: Block, after: Block | None, report: ParsedReport) -> tuple[list[ShownCard], list[ShownCard]]:
    """Return the cards of a block's main points, and the other cards; empty for blocks with their own slide.

    A paragraph's main point ends with its first cited sentence, so that no announcement stands without what it announces. A sentence without
    a source before a table or chart, which has a slide of its own, is none.
    """
    if isinstance(block, Table | Drawing) or readable_picture(block, report) or introduction(block):
        return [], []
    cards = list(block_cards(block))
    count = len(cards)
    if isinstance(block, Paragraph):
        count = next((place for place, card in enumerate(cards, 1) if card.numbers or card.mark), count)
        announces = len(cards) == 1 and not (cards[0].numbers or cards[0].mark)
        if announces and after and (isinstance(after, Table | Drawing) or readable_picture(after, report)):
            count = 0
    elif isinstance(block, Code):
        count = 1
    return [replace(card, leads=False) for card in cards[:count]], cards[count:]


def quote_cards(source: str, block: Quotation, title: str) -> list[ShownCard]:
    """Return the card of a quotation, or those of its parts if it holds code, headed by its source's title if the slides have another."""
    holds_code = any(isinstance(part, Code) for part in block.blocks)
    parts = [*block_cards(block)] if holds_code else []
    lines = "\n".join(item_card([part]).text for part in block.blocks)
    first, *others = parts or [replace(item_card([block]), text=lines, kind="quote")]
    return [replace(first, heading="" if letters(source) == letters(title) else source), *others]


def card_slides(title: str, cards: Sequence[ShownCard]) -> list[Slide]:
    """Put cards on as few slides as they fit on; a slide's first sentence is its title if the others belong to it."""
    waiting: list[ShownCard] = []
    for card in cards:
        fits = card.height(PACKED_SIZE) <= HIGH
        waiting += [card] if fits else [replace(card, text=text, leads=False) for text in pieces(card.text, PIECE)]
    slides = []
    for first, *others in _packed(waiting):
        if first.leads and others:
            slides.append(_under(first, Slide("cards", title, cards=tuple(others))))
        else:
            slides.append(Slide("cards", title, cards=(first, *others)))
    return slides


def _packed(cards: Sequence[ShownCard]) -> list[Sequence[ShownCard]]:
    """Divide cards into slides, which begin where a paragraph begins as far as possible."""

    def filled(start: int, end: int) -> float:
        count = end - start - cards[start].leads
        return cards_height(cards[start:end], PACKED_SIZE) / HIGH if count <= MAX_ROWS else math.inf

    inside = [0.0 if card.leads or not place else INSIDE for place, card in enumerate(cards)]
    return [cards[start:end] for start, end in _divided(inside, filled)]


def _divided(costs: Sequence[float], filled: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """Divide things into the fewest slides, filled alike: return the first thing and the one after the last of each.

    `costs` are those of a slide that begins with each thing; `filled` returns how much of a slide a stretch of things fills, more than 1 if it
    does not fit.
    """
    best: list[tuple[int, float, tuple[int, ...]]] = [(0, 0.0, ())]
    for end in range(1, len(costs) + 1):
        options: list[tuple[int, float, tuple[int, ...]]] = []
        for start in reversed(range(end)):
            part = filled(start, end)
            if part > 1 and options:
                break
            slides, cost, starts = best[start]
            options.append((slides + 1, cost + max(0.0, 1 - part) ** 2 + costs[start], (*starts, start)))
        best.append(min(options))
    return list(pairwise((*best[-1][2], len(costs))))


def beside(cards: Iterable[ShownCard]) -> tuple[str, ...]:
    """Return cards as notes of a slide."""
    return tuple(f"{card.signed} {''.join(f'[{number}]' for number in card.numbers)}".strip() for card in cards)


def limited(slides: Sequence[Slide], count: int) -> list[Slide]:
    """Keep the first slides of cards; the content of the others goes into the notes of the last one kept."""
    first = list(slides[:count])
    rest = tuple(card for slide in slides[count:] for card in slide.cards)
    return [*first[:-1], *(replace(slide, notes=(*slide.notes, *beside(rest))) for slide in first[-1:])]


def readable_picture(block: Block, report: ParsedReport) -> Picture | None:
    """Return a diagram's picture, if its text is readable at the size that fits."""
    picture = report.picture(block) if isinstance(block, Code) else None
    scale = min(DIAGRAM_WIDE / picture.width, DIAGRAM_HIGH / picture.height) if picture else 0.0
    return picture if scale >= MIN_SCALE else None


def table_slides(title: str, table: Table) -> list[Slide]:
    """Split a table into slides by the height of its rows; each repeats the header, without columns that hold citations alone."""
    columns = [place for place, column in enumerate(zip(*table.rows, strict=True)) if any(map(cell_text, column))]
    header = tuple(cell_text(table.header[place]) for place in columns)
    numbered = [(tuple(cell_text(row[place]) for place in columns), numbers_in(chain(*row))) for row in table.rows]
    reasons: list[tuple[str, Mark]] = []
    for row in (table.header, *table.rows):
        text = " | ".join(words(in_line(cell)) for cell in row)
        reasons += [(text, mark) for mark in chain(*row) if isinstance(mark, Mark)]
    over = numbers_in(chain(*table.header))
    cells_of = [header, *(cells for cells, _ in numbered)]
    size = largest_size(cells_of, TABLE_SIZES[TABLE_SIZES.index(TABLE_SIZE) :], ROOM, CELL)
    widths = table_columns(cells_of, size)
    room = TABLE_HIGH - row_height(header, widths, size)
    rows = [(part, cited) for cells, cited in numbered for part in halves(cells, widths, size, room)]
    heights = [row_height(cells, widths, size) for cells, _ in rows]
    slides = []
    for start, end in _divided([0.0] * len(rows), lambda start, end: sum(heights[start:end]) / room):
        shown = (header, *(cells for cells, _ in rows[start:end]))
        numbers = dict.fromkeys([*over, *chain.from_iterable(cited for _, cited in rows[start:end])])
        slides.append(Slide("table", title, rows=shown, numbers=tuple(numbers), reasons=tuple(reasons)))
    return slides


def chart_slide(drawing: Drawing) -> Slide:
    """Return the slide of a chart."""
    chart = drawing.chart
    rows = tuple(map(tuple, chart_rows(chart)))
    return Slide(
        "chart", with_unit(chart.title, chart.unit), chart=chart, rows=rows, numbers=numbers_in(drawing.citations)
    )
