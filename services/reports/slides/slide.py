"""A slide and its cards, for all formats of the deck."""

from dataclasses import dataclass

from schemas.chart import Chart
from schemas.document import Mark
from services.reports.document import Picture
from services.reports.slides.text_fit import CAPACITY, width


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


@dataclass(frozen=True, slots=True)
class Slide:
    """One slide."""

    kind: str
    """`cover`, `contents`, `divider`, `cards`, `table`, `chart`, `diagram`, `sources` or `end`; the rows of a cover and an end are their small lines."""
    title: str
    subtitle: str = ""
    lead: str = ""
    """A line below the title that introduces its cards."""
    cards: tuple[ShownCard, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    """Rows of a table, the header first; or the entries of the contents or the sources."""
    chart: Chart | None = None
    picture: Picture | None = None
    numbers: tuple[int, ...] = ()
    """Numbers of the sources of a table or chart."""
    reasons: tuple[tuple[str, Mark], ...] = ()
    """Marked rows of a table."""
    notes: tuple[str, ...] = ()
    """The report's further text, then the reasons of marks, then its sources."""

    @property
    def few(self) -> bool:
        """Tell whether its cards hold so little text that a larger font is possible."""
        return bool(self.cards) and all(
            card.kind != "code" and size(card) <= CAPACITY[max(2, len(self.cards))] // 3 for card in self.cards
        )


def size(card: ShownCard) -> int:
    """Return the room that a card takes, in half-width characters."""
    if card.kind == "code":
        return sum(max(1, -(-width(line) // 32)) * 32 for line in card.text.split("\n"))
    heading = 90 if card.kind == "figure" else 40 + width(card.heading) if card.heading else 0
    return width(card.text) + heading + 8 * len(card.numbers) + (2 if card.mark else 0)
