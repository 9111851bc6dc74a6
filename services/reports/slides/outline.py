"""The outline of a deck: what stands on each slide, so little that it fits, with the sources in the notes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, takewhile

from schemas.deck import DeckCard, DeckPage
from schemas.reporter_slides import MAX_CARDS
from services.reports.document import (
    Block,
    Code,
    Display,
    Drawing,
    Heading,
    Inline,
    Inlines,
    Listing,
    Mark,
    Paragraph,
    ParsedReport,
    Picture,
    Quotation,
    Section,
    Table,
    citations_in,
    words,
)
from services.reports.html.figure import data_rows, title_with_unit
from services.reports.labels import labels_for
from services.reports.marked_sentences import why_marked
from services.reports.plain_math import in_line, plain_math
from services.reports.sentences import cited_sentences
from services.reports.slides.slide import Card, Slide, size
from services.reports.slides.source_titles import headed
from services.reports.slides.text_fit import CAPACITY, TABLE_ROOM, TITLE, halves, pieces, row_height, shortened

CODE_LINES = 14
"""Of one card of code."""
MAX_SLIDES = 40
"""From here on a deck shows the main points of its sections; the rest stands in the notes."""
MAX_SECTION_SLIDES = 3
"""Slides of cards that a section of such a deck has."""
WIDE, HIGH = 1150, 510
"""Pixels that a diagram may take of a slide, which has 1280 by 720."""
MIN_SCALE = 0.6
"""Scale at which a diagram can still be read; a larger one stays text."""
SIGNS = {"inferred": "≈", "unverified": "⚠"}
"""Of marks that stand within a card's text or a cell."""
CONTENTS = 10
"""Entries of one slide of contents."""
DIVIDED = 3
"""Parts of a report's own text from which on a deck has contents and dividers."""


def outline(report: ParsedReport) -> list[Slide]:
    """Lay a report out as slides: cover, summary, key figures, contents, sections with their dividers, end.

    A long report is told by its main points, those that its paragraphs begin with.
    """
    slides = _slides(report, brief=False)
    return slides if len(slides) <= MAX_SLIDES else _slides(report, brief=True)


def _slides(report: ParsedReport, *, brief: bool) -> list[Slide]:
    labels = labels_for(report.locale)
    title = words(report.title)
    slides = [
        Slide(
            "cover",
            title,
            report.subtitle,
            rows=((report.counts.shown,), (labels.author, report.created)),
        )
    ]
    sections = [section for section in report.sections if section.role not in {"computations", "references"}]
    parts = list(_parts(sections))
    slides += _block_slides(title, report.opening, report)
    if report.summary:
        marked = any(isinstance(inline, Mark) for inline in report.summary)
        slides += _card_slides(labels.summary, list(_sentence_cards(report.summary, single=not marked)))
    slides += _block_slides(title, report.lead, report)
    if report.figures:
        cards = [Card(figure.claim, figure.value, _numbers(figure.citations), "figure") for figure in report.figures]
        slides += _card_slides(labels.key_figures, cards)
    divided = sum(part[0].role == "" for part in parts) >= DIVIDED
    names = [shortened(words(part[0].title), 72) for part in parts] if divided else []
    for start in range(0, len(names), CONTENTS):
        entries = tuple((str(start + place), name) for place, name in enumerate(names[start : start + CONTENTS], 1))
        slides.append(Slide("contents", labels.contents, rows=entries))
    deck = _deck(report)
    for place, part in enumerate(parts, 1):
        if divided and part[0].role == "":
            slides.append(Slide("divider", shortened(words(part[0].title), TITLE), str(place)))
        for section in part:
            if pages := deck.get(section.anchor):
                slides += _written(section, pages, report)
            else:
                slides += _main_points(section, report) if brief and not section.role else _section(section, report)
    slides.append(Slide("end", labels.the_end, labels.origin(by_rules=report.by_rules)))
    return [replace(slide, notes=(*slide.notes, *_notes(slide, report))) for slide in slides]


def _parts(sections: Iterable[Section]) -> Iterator[list[Section]]:
    """Group sections below those of the second level."""
    part: list[Section] = []
    for section in sections:
        if section.level == 2 and part:
            yield part
            part = []
        part.append(section)
    if part:
        yield part


def _section(section: Section, report: ParsedReport) -> list[Slide]:
    title = words(section.title)
    if section.role != "contradictions":
        return _block_slides(title, section.blocks, report)
    slides = []
    for disagreement in report.disagreements:
        cards = [Card(words(side), numbers=_numbers(side), kind="quote") for side in disagreement.sides]
        shown = _card_slides(f"{title} · {disagreement.topic}" if disagreement.topic else title, cards)
        slides += [replace(each, notes=(disagreement.note,)) if disagreement.note else each for each in shown]
    return slides


def _deck(report: ParsedReport) -> dict[str, list[DeckPage]]:
    """Return the pages that a model wrote, by the anchor of their section."""
    pages: dict[str, list[DeckPage]] = {}
    sections = report.body
    for page in report.deck:
        if 1 <= page.section <= len(sections):
            pages.setdefault(sections[page.section - 1].anchor, []).append(page)
    return pages


def figures_of(blocks: Iterable[Block]) -> list[Table | Drawing]:
    """Return the charts and tables among blocks, in their order."""
    return [block for block in blocks if isinstance(block, Table | Drawing)]


def _written(section: Section, pages: Sequence[DeckPage], report: ParsedReport) -> list[Slide]:
    """Lay out the pages that a model wrote of a section, each figure behind the page that names it, the others at the end."""
    before = chain.from_iterable(other.blocks for other in takewhile(lambda other: other is not section, report.body))
    figures = dict(enumerate(figures_of(section.blocks), 1 + len(figures_of(before))))
    numbers = {quote.id: reference.number for reference in report.references for quote in reference.quotes}
    slides: list[Slide] = []
    for page in pages:
        slides += _card_slides(page.title, [_proved(card, numbers) for card in page.cards])
        if page.figure in figures:
            slides += _block_slides(page.title, [figures.pop(page.figure)], report)
    drawn = [block for block in section.blocks if _readable_picture(block, report)]
    return slides + _block_slides(words(section.title), [*figures.values(), *drawn], report)


def _proved(card: DeckCard, numbers: Mapping[str, int]) -> Card:
    cited = tuple(dict.fromkeys(numbers[key] for key in card.citations if key in numbers))
    mark = Mark("inferred") if card.inferred else None
    return Card(card.text, numbers=cited, mark=mark, reasons=((card.text, mark),) if mark else ())


def _main_points(section: Section, report: ParsedReport) -> list[Slide]:
    """Lay a section out by what its paragraphs begin with, on a few slides; the rest goes into the notes of the last."""
    slides = _section(section, report)
    if len(slides) <= MAX_SECTION_SLIDES:
        return slides
    first, rest = [], []
    for block in section.blocks:
        alone = isinstance(block, Table | Drawing) or _readable_picture(block, report)
        cards = [] if alone else list(_block_cards(block))
        main = cards[:1] if isinstance(block, Paragraph) else cards
        first += main
        rest += cards[len(main) :]
    points = _card_slides(words(section.title), first)
    rest = [card for slide in points[MAX_SECTION_SLIDES:] for card in slide.cards] + rest
    points = points[:MAX_SECTION_SLIDES]
    beside = tuple(f"{_with_sign(card)} {''.join(f'[{number}]' for number in card.numbers)}".strip() for card in rest)
    shown = [slide for slide in slides if slide.kind in {"table", "chart", "diagram"}]
    return [*points[:-1], *(replace(point, notes=beside) for point in points[-1:]), *shown]


def _block_slides(title: str, blocks: Sequence[Block], report: ParsedReport) -> list[Slide]:
    """Fill slides with blocks: texts as cards, tables, charts and diagrams on slides of their own."""
    slides: list[Slide] = []
    cards: list[Card] = []
    for heading, block in headed(blocks, report):
        if isinstance(block, Table | Drawing):
            slides += _card_slides(title, cards)
            cards = []
            slides += _table_slides(title, block) if isinstance(block, Table) else [_chart_slide(block, report)]
        elif picture := _readable_picture(block, report):
            slides += [*_card_slides(title, cards), Slide("diagram", title, picture=picture)]
            cards = []
        elif heading:
            kind = "quote" if isinstance(block, Quotation) else "plain"
            cards.append(replace(_item_card([block]), heading=heading, kind=kind))
        else:
            cards += _block_cards(block)
    return slides + _card_slides(title, cards)


def _readable_picture(block: Block, report: ParsedReport) -> Picture | None:
    """Return a diagram's picture, if its text can be read at the size at which it fits."""
    picture = report.picture(block) if isinstance(block, Code) else None
    return picture if picture and min(WIDE / picture.width, HIGH / picture.height) >= MIN_SCALE else None


def _card_slides(title: str, cards: Sequence[Card]) -> list[Slide]:
    """Put cards on slides, at most four on one and only as many as fit; a card too long for one goes on on the next."""
    waiting = [piece for card in cards for piece in _card_pieces(card)]
    slides = []
    while waiting:
        count = next(
            number
            for number in range(min(MAX_CARDS, len(waiting)), 0, -1)
            if number == 1 or all(size(card) <= CAPACITY[number] for card in waiting[:number])
        )
        if count > 2 and len(waiting) - count == 1:
            count -= 1  # two and two read better than three and a last one alone
        slides.append(Slide("cards", title, cards=tuple(waiting[:count])))
        waiting = waiting[count:]
    return slides


def _card_pieces(card: Card) -> list[Card]:
    if size(card) <= CAPACITY[1]:
        return [card]
    return [replace(card, text=text) for text in pieces(card.text, CAPACITY[1] // 2)]


def _block_cards(block: Block) -> Iterator[Card]:
    match block:
        case Paragraph(content=content):
            yield from _sentence_cards(content)
        case Quotation(blocks=blocks):
            for part in blocks:
                yield from (replace(card, kind="quote") for card in _block_cards(part))
        case Listing(items=items):
            for item in items:
                yield _item_card(item)
        case Code(text=text):
            lines = text.splitlines()
            for start in range(0, len(lines), CODE_LINES):
                yield Card("\n".join(lines[start : start + CODE_LINES]), kind="code")
        case Display(latex=latex):
            yield Card(latex, kind="formula")
        case Heading(content=content):
            yield Card(words(in_line(content)))
        case _:
            return


def _sentence_cards(content: Inlines, *, single: bool = False) -> Iterator[Card]:
    for sentence in cited_sentences(in_line(content), single=single):
        reasons = ((sentence.text, sentence.mark),) if sentence.mark else ()
        yield Card(sentence.text, numbers=_numbers(sentence.citations), mark=sentence.mark, reasons=reasons)


def _item_card(item: Sequence[Block]) -> Card:
    inner = [card for block in item for card in _block_cards(block)]
    shown = [
        replace(card, text=plain_math(card.text) if card.kind == "formula" else _with_sign(card)) for card in inner[:-1]
    ] + [replace(card, text=plain_math(card.text)) if card.kind == "formula" else card for card in inner[-1:]]
    return Card(
        reduce(_joined, (card.text for card in shown), ""),
        numbers=tuple(dict.fromkeys(number for card in inner for number in card.numbers)),
        mark=inner[-1].mark if inner else None,
        reasons=tuple(chain.from_iterable(card.reasons for card in inner)),
    )


def _joined(before: str, after: str) -> str:
    """Put a text behind another one, without a blank after a Chinese stop."""
    blank = " " if before and before[-1] not in "。！？；" else ""
    return f"{before}{blank}{after}"


def _with_sign(card: Card) -> str:
    return f"{card.text} {SIGNS[card.mark.status]}" if card.mark else card.text


def _table_slides(title: str, table: Table) -> list[Slide]:
    """Cut a table into slides by the height of its rows; the header comes again on each."""
    header = tuple(map(_cell, table.header))
    numbered = [(tuple(map(_cell, row)), _numbers(chain(*row))) for row in table.rows]
    reasons = tuple(
        (" | ".join(words(in_line(cell)) for cell in row), mark)
        for row in (table.header, *table.rows)
        for mark in chain(*row)
        if isinstance(mark, Mark)
    )
    over = _numbers(chain(*table.header))
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


def _cell(content: Inlines) -> str:
    signs = "".join(f" {SIGNS[inline.status]}" for inline in content if isinstance(inline, Mark))
    return words(in_line(content)) + signs


def _chart_slide(drawing: Drawing, report: ParsedReport) -> Slide:
    chart = drawing.chart
    rows = tuple(tuple(row) for row in data_rows(chart, labels_for(report.locale)))
    return Slide("chart", title_with_unit(chart), chart=chart, rows=rows, numbers=_numbers(drawing.citations))


def _numbers(content: Iterable[Inline]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(citation.number for citation in citations_in(content)))


def _notes(slide: Slide, report: ParsedReport) -> Iterator[str]:
    labels = labels_for(report.locale)
    for sentence, mark in dict.fromkeys([*slide.reasons, *chain.from_iterable(card.reasons for card in slide.cards)]):
        yield why_marked(sentence, mark.status, mark.reason, labels)
    cited = dict.fromkeys([*slide.numbers, *(number for card in slide.cards for number in card.numbers)])
    for reference in report.references:
        if reference.number in cited:
            yield f"[{reference.number}] {reference.title} — {' · '.join([reference.url, *reference.who])}"
            yield from (f"    “{quote}”" for quote in list(reference.quoted_texts)[:3])
