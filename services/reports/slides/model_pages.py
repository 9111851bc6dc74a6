"""Lays out pages of a deck that a model wrote, with the charts and tables of their sections."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, takewhile

from schemas.deck import DeckCard, DeckPage
from schemas.document import Block, Drawing, Mark, Table
from services.reports.document import ParsedReport, Section, letters, words
from services.reports.slides.cards import value_on_card
from services.reports.slides.layout import block_slides, card_slides, figure_slides, readable_picture
from services.reports.slides.slide import BESIDE, ShownCard, Slide, cards_height
from services.reports.slides.text_fit import HIGH

BESIDE_SIZE = 18
"""Smallest font size in points of cards beside a chart."""


def pages_by_section(report: ParsedReport) -> dict[str, list[DeckPage]]:
    """Return the model's pages by the anchor of their section."""
    pages: dict[str, list[DeckPage]] = {}
    sections = report.body
    for page in report.deck:
        if 1 <= page.section <= len(sections):
            pages.setdefault(sections[page.section - 1].anchor, []).append(page)
    return pages


def figures_of(blocks: Iterable[Block]) -> list[Table | Drawing]:
    """Return the charts and tables among blocks, in order."""
    return [block for block in blocks if isinstance(block, Table | Drawing)]


def written_slides(section: Section, pages: Sequence[DeckPage], report: ParsedReport) -> list[Slide]:
    """Lay out a section's pages from the model, each figure after the page that names it, the others at the end."""
    before = chain.from_iterable(other.blocks for other in takewhile(lambda other: other is not section, report.body))
    figures = dict(enumerate(figures_of(section.blocks), 1 + len(figures_of(before))))
    numbers = {quote.id: reference.number for reference in report.references for quote in reference.quotes}
    charted = any(isinstance(block, Drawing) for block in section.blocks)
    slides: list[Slide] = []
    for page in pages:
        cards = [_proved(card, numbers) for card in page.cards]
        made = _page(page.title, cards, figures.pop(page.figure, None), report, charted=charted)
        over = "" if letters(page.title) == letters(words(section.title)) else words(section.title)
        slides += [replace(slide, subtitle=over) for slide in made]
    drawn = [block for block in section.blocks if readable_picture(block, report)]
    return slides + block_slides(words(section.title), [*figures.values(), *drawn], report)


def _page(
    title: str, cards: Sequence[ShownCard], block: Table | Drawing | None, report: ParsedReport, *, charted: bool
) -> list[Slide]:
    """Lay out a page: its cards beside its chart if they fit there, a table after its cards."""
    if block is None:
        return card_slides(title, cards)
    shown = ShownCard(title)
    if isinstance(block, Drawing) and cards_height(cards, BESIDE_SIZE, BESIDE) <= HIGH:
        [chart] = figure_slides(title, block, report, shown)
        return [replace(chart, cards=tuple(cards))]
    return [*card_slides(title, cards), *figure_slides(title, block, report, shown, charted=charted)]


def _proved(card: DeckCard, numbers: Mapping[str, int]) -> ShownCard:
    cited = tuple(dict.fromkeys(numbers[key] for key in card.citations if key in numbers))
    mark = Mark("inferred") if card.inferred else None
    reasons = ((card.text, mark),) if mark else ()
    return ShownCard(card.text, value_on_card(card.value), cited, "figure" if card.value else "plain", mark, reasons)
