"""A slide and its cards, for all formats of the deck."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.chart import Chart
from schemas.document import Mark
from services.reports.document import Picture
from services.reports.slides.text_fit import HIGH, ROOM, SIZES, column_widths, lines, row_height, text_height

GAP, PADDING = 0.15, 0.36
"""Blank between cards, and inside of a card on both sides together, in inches."""
BESIDE = 4.2
"""Width of cards beside a chart in inches."""
VALUE_WIDE = 3.6
"""Width in inches of the key figure at the left of its sentence."""
CODE_SIZE = 14
MAX_TABLE_SIZE = 24
TABLE_HIGH = HIGH - 0.4
"""Height of a table in inches: its sources stand below it."""


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card on a slide."""

    text: str
    heading: str = ""
    """The value of a figure; for other cards, the title of the quoted source."""
    numbers: tuple[int, ...] = ()
    """Numbers of its cited sources."""
    kind: str = "plain"
    """`plain`, `quote`, `figure`, `formula` or `code`."""
    mark: Mark | None = None
    """Mark after its last sentence; earlier marks are shown as signs in the text."""
    reasons: tuple[tuple[str, Mark], ...] = ()
    """Marked sentences of the card."""
    leads: bool = False
    """Whether the following cards belong to it, so that it can be the title above them."""


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide."""

    kind: str
    """`cover`, `contents`, `cards`, `table`, `chart`, `diagram`, `sources` or `end`; the rows of a cover and an end are their small lines."""
    title: str
    subtitle: str = ""
    """Of a cover and an end; on others the heading of the section, if the title is another."""
    caption: str = ""
    """What a chart shows, with its unit, if the title says something else."""
    cards: tuple[ShownCard, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Rows of a table, the header first; or the entries of the contents or the sources."""
    chart: Chart | None = None
    picture: Picture | None = None
    numbers: tuple[int, ...] = ()
    """Numbers of the sources of its title, table or chart."""
    reasons: tuple[tuple[str, Mark], ...] = ()
    """Marked rows of a table."""
    notes: tuple[str, ...] = ()
    """The report's further text, then the reasons of marks, then its sources."""

    @property
    def cards_wide(self) -> float:
        """The width of its cards in inches: beside a chart, or all of the slide."""
        return BESIDE if self.chart is not None else ROOM

    @property
    def text_size(self) -> int:
        """The font size of its cards, or of its table, in points."""
        if self.cards:
            return next((size for size in SIZES if cards_height(self.cards, size, self.cards_wide) <= HIGH), SIZES[-1])
        sizes = [size for size in SIZES if size <= MAX_TABLE_SIZE]
        return next((size for size in sizes if table_height(self.rows, size) <= TABLE_HIGH), SIZES[-1])


def cards_height(cards: Sequence[ShownCard], size: int, wide: float = ROOM) -> float:
    """Return the height of cards one below the other in inches."""
    return sum(card_height(card, size, wide) for card in cards) + GAP * (len(cards) - 1)


def card_height(card: ShownCard, size: int, wide: float = ROOM) -> float:
    """Return the height of a card in inches."""
    inner = wide - PADDING
    if card.kind == "code":
        return PADDING + text_height(card.text, CODE_SIZE, inner)
    text = card.text + "0" * (4 * len(card.numbers) + 2 * bool(card.mark))
    if card.kind != "figure":
        return (
            PADDING + text_height(text, size, inner) + (text_height(card.heading, size, inner) if card.heading else 0)
        )
    value = text_height(card.heading, value_size(card.heading), VALUE_WIDE - 0.2)
    return PADDING + max(value, text_height(text, size, inner - VALUE_WIDE))


def value_size(value: str) -> int:
    """Return the font size of a key figure, with its unit on a second line at most."""
    return next((size for size in SIZES if lines(value, size, VALUE_WIDE - 0.2) <= 2), SIZES[-1])


def table_height(rows: Sequence[Sequence[str]], size: int) -> float:
    """Return the height of a table in inches."""
    widths = column_widths(rows, size)
    return sum(row_height(row, widths, size) for row in rows)
