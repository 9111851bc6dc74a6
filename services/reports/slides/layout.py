"""Lays out cards, tables, charts and diagrams on slides, as many as fit."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from schemas.document import Block, Code, Drawing, Mark, Paragraph, Quotation, Table
from schemas.reporter_slides import MAX_CARDS
from services.reports.document import ParsedReport, Picture, letters, words
from services.reports.html.figure import data_rows, title_with_unit
from services.reports.labels import labels_for
from services.reports.plain_math import in_line
from services.reports.slides.cards import block_cards, cell_text, introduction, item_card, numbers_in, with_sign
from services.reports.slides.slide import ShownCard, Slide, size
from services.reports.slides.source_titles import headed
from services.reports.slides.text_fit import CAPACITY, TABLE_ROOM, halves, pieces, row_height

WIDE, HIGH = 1150, 510
"""Maximum size of a diagram in pixels on a slide of 1280 by 720."""
MIN_SCALE = 0.6
"""Minimum scale at which a diagram is readable; larger diagrams stay text."""


def block_slides(title: str, blocks: Sequence[Block], report: ParsedReport, shown: Collection[str] = ()) -> list[Slide]:
    """Lay blocks out on slides: texts as cards; tables, charts and diagrams on their own slides.

    Args:
        title: title of the slides.
        blocks: blocks of a section.
        report: the parsed report.
        shown: letters of the cards on earlier slides, which are not repeated.
    """
    slides: list[Slide] = []
    cards: list[ShownCard] = []
    lead: ShownCard | None = None

    def turn_over() -> None:
        nonlocal slides, cards, lead
        fresh = [card for card in cards if letters(card.text) not in shown]
        made = card_slides(title, fresh)
        if lead and made:
            made[0] = replace(made[0], lead=with_sign(lead), reasons=lead.reasons)
        slides, cards = slides + made, []
        lead = None if made else lead

    for heading, block in headed(blocks):
        if isinstance(block, Table | Drawing):
            turn_over()
            slides += table_slides(title, block) if isinstance(block, Table) else [chart_slide(block, report)]
        elif picture := readable_picture(block, report):
            turn_over()
            slides.append(Slide("diagram", title, picture=picture))
        elif introduced := introduction(block):
            turn_over()
            lead = introduced
        elif heading:
            kind = "quote" if isinstance(block, Quotation) else "plain"
            over = "" if letters(heading) == letters(title) else heading
            cards.append(replace(item_card([block]), heading=over, kind=kind))
        else:
            cards += block_cards(block)
    turn_over()
    return slides


def main_cards(block: Block, report: ParsedReport) -> tuple[list[ShownCard], list[ShownCard]]:
    """Return the cards of a block's main points, and the other cards; empty for blocks with their own slide."""
    if isinstance(block, Table | Drawing) or readable_picture(block, report) or introduction(block):
        return [], []
    cards = list(block_cards(block))
    count = 1 if isinstance(block, Paragraph | Code) else len(cards)
    return cards[:count], cards[count:]


def card_slides(title: str, cards: Sequence[ShownCard]) -> list[Slide]:
    """Put cards on slides, at most four each and as many as fit; a card that is too long continues on the next."""
    waiting = [piece for card in cards for piece in _card_pieces(card)]
    slides = []
    while waiting:
        count = next(
            number
            for number in range(min(MAX_CARDS, len(waiting)), 0, -1)
            if number == 1 or all(size(card) <= CAPACITY[number] for card in waiting[:number])
        )
        if count > 2 and len(waiting) - count == 1:
            count -= 1  # two and two read better than three and one
        slides.append(Slide("cards", title, cards=tuple(waiting[:count])))
        waiting = waiting[count:]
    return slides


def _card_pieces(card: ShownCard) -> list[ShownCard]:
    if size(card) <= CAPACITY[1]:
        return [card]
    return [replace(card, text=text) for text in pieces(card.text, CAPACITY[1] // 2)]


def beside(cards: Iterable[ShownCard]) -> tuple[str, ...]:
    """Return cards as notes of a slide."""
    return tuple(f"{with_sign(card)} {''.join(f'[{number}]' for number in card.numbers)}".strip() for card in cards)


def limited(slides: Sequence[Slide], count: int) -> list[Slide]:
    """Keep the first slides of cards; the content of the others goes into the notes of the last one kept."""
    kept = list(slides[:count])
    rest = tuple(card for slide in slides[count:] for card in slide.cards)
    return [*kept[:-1], *(replace(slide, notes=(*slide.notes, *beside(rest))) for slide in kept[-1:])]


def readable_picture(block: Block, report: ParsedReport) -> Picture | None:
    """Return a diagram's picture, if its text is readable at the size that fits."""
    picture = report.picture(block) if isinstance(block, Code) else None
    return picture if picture and min(WIDE / picture.width, HIGH / picture.height) >= MIN_SCALE else None


def table_slides(title: str, table: Table) -> list[Slide]:
    """Split a table into slides by the height of its rows; each repeats the header."""
    header = tuple(map(cell_text, table.header))
    numbered = [(tuple(map(cell_text, row)), numbers_in(chain(*row))) for row in table.rows]
    reasons = tuple(
        (" | ".join(words(in_line(cell)) for cell in row), mark)
        for row in (table.header, *table.rows)
        for mark in chain(*row)
        if isinstance(mark, Mark)
    )
    over = numbers_in(chain(*table.header))
    slides = []
    head = row_height(header)
    rows: list[tuple[str, ...]] = []
    numbers: list[int] = list(over)
    room = TABLE_ROOM - head
    for cells, cited in numbered:
        for part in halves(cells, TABLE_ROOM - head):
            if rows and row_height(part) > room:
                slides.append(_table_slide(title, (header, *rows), numbers, reasons))
                rows, numbers, room = [], list(over), TABLE_ROOM - head
            rows.append(part)
            numbers += cited
            room -= row_height(part)
    if rows:
        slides.append(_table_slide(title, (header, *rows), numbers, reasons))
    return slides


def _table_slide(
    title: str, rows: tuple[tuple[str, ...], ...], numbers: list[int], reasons: tuple[tuple[str, Mark], ...]
) -> Slide:
    return Slide("table", title, rows=rows, numbers=tuple(dict.fromkeys(numbers)), reasons=reasons)


def chart_slide(drawing: Drawing, report: ParsedReport) -> Slide:
    """Return the slide of a chart."""
    chart = drawing.chart
    rows = tuple(tuple(row) for row in data_rows(chart, labels_for(report.locale)))
    return Slide("chart", title_with_unit(chart), chart=chart, rows=rows, numbers=numbers_in(drawing.citations))
