"""A slide and its cards, each with a sentence, a quote, a list item or a piece of code, and how much fits on it.

Texts are measured in half-width characters: a Chinese one counts twice.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, chain, islice, takewhile

from schemas.chart import Chart
from schemas.document import Block, Code, Display, Heading, Inline, Inlines, Listing, Mark, Paragraph, Quotation, Text
from services.reports.columns import BOLD, EM, column_widths, width, words_fit
from services.reports.document import Picture, citations_in, letters, words
from services.reports.formulas import in_line, plain_math
from services.reports.sentences import cited_sentences
from services.reports.statuses import SIGNS
from services.text.passages import sentences
from services.text.tokens import has_cjk

TITLE = 96
"""Capacity of a slide's title, which has two lines."""
_STOPS = (("；", "; "), ("，", ", ", "、", " "))
"""Separators at which a text is cut if no sentence ends."""
ROOM, HIGH = 12.0, 5.05
"""Width and height in inches of what stands below a slide's title; a slide is 13.333 by 7.5 inches."""
SIZES = (32, 28, 24, 22, 20, 18, 16, 15, 14, 12)
"""Font sizes in points: a slide has the greatest at which its content fits."""
_LEADING = 1.36
"""Height of a line as a part of the font's size, rather too large than too small."""
CELL = 0.27
"""Blank beside the text of a table's cell in inches, on both sides together."""
_CELL_HIGH = 0.15
GAP, PADDING = 0.15, 0.36
"""Blank between cards, and inside of a card on both sides together, in inches."""
BESIDE = 4.2
"""Width of cards beside a chart in inches."""
VALUE_WIDE = 3.6
"""Width in inches of the key figure at the left of its sentence."""
CODE_SIZES = (14, 20)
"""Smallest and greatest font size of code in points."""
TABLE_SIZES = (*(size for size in SIZES if size <= 24), 11, 10, 9)
"""Font sizes of tables in points."""
TABLE_HIGH = HIGH - 0.4
"""Height of a table in inches: its sources stand below it."""
CODE_LINES = 14
"""Maximum lines of a card of code."""
COLONS = (":", "：")
BULLET, INDENT = "•", "\u2003"
"""What stands before an item of a list inside of a card, and before the lines below its first one."""
_INSIDE_NUMBER = re.compile(r" (?=[^\w\s]*\d|[±–~-])")
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$)|[。，；：！？])")
"""Blank that a citation leaves before a stop."""


def shortened(text: str, room: int) -> str:
    """Shorten a long title, with an ellipsis."""
    if width(text) <= room:
        return text
    return text[: _fitting(text, room - 1)].rstrip() + "…"


def pieces(text: str, room: int) -> list[str]:
    """Split a text into pieces after sentences, else semicolons, commas or blanks."""
    cut_pieces = []
    while width(text) > room:
        end = _fitting(text, room)
        at = max((span.end for span in sentences(text) if end // 3 <= span.end <= end), default=0) or next(
            (at for marks in _STOPS if (at := max(text.rfind(mark, end // 2, end) + 1 for mark in marks))), 0
        )
        cut = at or end
        cut_pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*cut_pieces, text] if text else cut_pieces


def _fitting(text: str, room: int) -> int:
    return sum(used <= room for used in accumulate(map(width, text)))


def lines(text: str, size: int, wide: float) -> int:
    """Return the number of lines of a text in a box of a width in inches; a Chinese line may end a character early, before a mark."""
    line = wide * 72 / size
    return sum(max(1, math.ceil(_ems(part) / max(1.0, line - has_cjk(part)))) for part in text.split("\n"))


def _ems(text: str) -> float:
    """Return the width of a text as a multiple of the font's size: a Chinese character has 1."""
    wide = width(text) - len(text)
    return wide + (len(text) - wide) * EM


def text_height(text: str, size: int, wide: float) -> float:
    """Return the height of a text in inches."""
    return lines(text, size, wide) * size * _LEADING / 72


def table_columns(rows: Sequence[Sequence[str]], size: int) -> list[float]:
    """Return the width of each column of a slide's table in inches."""
    return column_widths(rows, size, ROOM, CELL)


def row_height(cells: Sequence[str], widths: Sequence[float], size: int) -> float:
    """Return the height of a table's row in inches."""
    return _CELL_HIGH + max(text_height(cell, size, wide - CELL) for cell, wide in zip(cells, widths, strict=True))


def halves(cells: tuple[str, ...], widths: Sequence[float], size: int, room: float) -> list[tuple[str, ...]]:
    """Split a row that is higher than a slide into rows that fit."""
    if row_height(cells, widths, size) <= room:
        return [cells]
    count = max(1, int((room - _CELL_HIGH) * 72 / (size * _LEADING)) - 1)
    cut = [
        pieces(cell, max(4, int((wide - CELL) * 72 / (size * EM) * 0.85)) * count) or [""]
        for cell, wide in zip(cells, widths, strict=True)
    ]
    return [tuple(cell[place] if place < len(cell) else "" for cell in cut) for place in range(max(map(len, cut)))]


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A card on a slide."""

    text: str
    heading: str = ""
    """The value of a figure; for other cards, what heads them: the title of the quoted source, or words in bold."""
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

    @property
    def as_title(self) -> str:
        """Its text as a title: without a colon or a full stop at the end."""
        return self.text.rstrip(":：。").removesuffix(".")

    @property
    def signed(self) -> str:
        """Its text with the sign of its mark."""
        return f"{self.text}{SIGNS[self.mark.status]}" if self.mark else self.text

    def height(self, size: int, wide: float = ROOM) -> float:
        """Return its height in inches."""
        inner = wide - PADDING
        if self.kind == "code":
            return PADDING + text_height(self.text, code_size(size), inner)
        text = self.text + "0" * (4 * len(self.numbers) + 2 * bool(self.mark))
        if self.kind != "figure":
            heading = text_height(self.heading, size, inner) if self.heading else 0
            return PADDING + text_height(text, size, inner) + heading
        value = text_height(self.heading, value_size(self.heading), VALUE_WIDE - 0.2)
        return PADDING + max(value, text_height(text, size, inner - VALUE_WIDE))


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
    more: int = 0
    """Rows of its table that stand in the notes alone."""
    notes: tuple[str, ...] = ()
    """The report's further text, then the reasons of marks, then its sources."""

    def holds_cards(self, size: int) -> bool:
        """Tell whether its table has room for its cards above it, in a font size in points."""
        return table_fits(self.rows, size, TABLE_HIGH - GAP - cards_height(self.cards, size, ROOM))

    @property
    def text_size(self) -> int:
        """The font size of its cards and its table, in points."""
        if self.cards and self.kind == "table":
            return next(filter(self.holds_cards, TABLE_SIZES), TABLE_SIZES[-1])
        if self.cards:
            wide = BESIDE if self.chart is not None else ROOM
            return next((size for size in SIZES if cards_height(self.cards, size, wide) <= HIGH), SIZES[-1])
        return next((size for size in TABLE_SIZES if table_fits(self.rows, size, TABLE_HIGH)), TABLE_SIZES[-1])


def code_size(size: int) -> int:
    """Return the font size of code on a slide with a font size."""
    return sorted((size, *CODE_SIZES))[1]


def cards_height(cards: Sequence[ShownCard], size: int, wide: float = ROOM) -> float:
    """Return the height of cards one below the other in inches."""
    return sum(card.height(size, wide) for card in cards) + GAP * (len(cards) - 1)


def value_size(value: str) -> int:
    """Return the font size of a key figure, with its unit on a second line at most, and no word or number broken."""
    longest, wide = max(value.split(" "), key=width), (VALUE_WIDE - PADDING) / BOLD
    whole = (size for size in SIZES if lines(value, size, VALUE_WIDE - 0.2) <= 2 and lines(longest, size, wide) == 1)
    return next(whole, SIZES[-1])


def table_fits(rows: Sequence[Sequence[str]], size: int, high: float) -> bool:
    """Tell whether a table fits below a height in inches, without a broken word."""
    widths = table_columns(rows, size)
    return words_fit(rows, size, ROOM, CELL) and sum(row_height(row, widths, size) for row in rows) <= high


def block_cards(block: Block) -> Iterator[ShownCard]:
    """Yield the cards of a block; none for tables, charts and rules."""
    match block:
        case Paragraph(content=content):
            for place, card in enumerate(sentence_cards(content)):
                fits = not (card.mark or card.heading) and width(card.text) <= TITLE
                yield replace(card, leads=fits and (place == 0 or card.text.endswith(COLONS)))
        case Quotation(blocks=blocks):
            for part in blocks:
                cards = (replace(card, leads=False) for card in block_cards(part))
                yield from (card if card.kind == "code" else replace(card, kind="quote") for card in cards)
        case Listing(items=items):
            for item in items:
                yield item_card(item)
        case Code(text=text):
            lines = text.splitlines()
            for start in range(0, len(lines), CODE_LINES):
                yield ShownCard("\n".join(lines[start : start + CODE_LINES]), kind="code")
        case Display(latex=latex):
            yield ShownCard(latex, kind="formula")
        case Heading(content=content):
            yield ShownCard(words(in_line(content)))


def sentence_cards(content: Inlines) -> Iterator[ShownCard]:
    """Yield a card for each sentence of a paragraph; a sentence in bold that heads the others is the heading of the first."""
    sentences = [*cited_sentences(in_line(content))]
    bold = takewhile(lambda inline: isinstance(inline, Text) and "strong" in inline.styles, content)
    heads = len(sentences) > 1 and letters(sentences[0].text) == letters(words(tuple(bold)))
    for place, sentence in enumerate(sentences[heads:]):
        reasons = ((sentence.text, sentence.mark),) if sentence.mark else ()
        heading = sentences[0].text.rstrip(".。") if heads and not place else ""
        numbers = numbers_in(sentence.citations)
        yield ShownCard(sentence.text, heading, numbers, mark=sentence.mark, reasons=reasons)


def item_card(item: Sequence[Block]) -> ShownCard:
    """Return one card for blocks that belong together, each on lines of its own; it has a mark where each of its sentences has one, else the sentences have their signs."""
    cards_of = [(block, [*block_cards(block)]) for block in item]
    inner = [card for _, cards in cards_of for card in cards]
    mark = inner[-1].mark if inner and all(card.mark for card in inner) else None
    shown = [*inner[:-1], *(replace(card, mark=None if mark else card.mark) for card in inner[-1:])]
    texts = iter([plain_math(card.text) if card.kind == "formula" else card.signed for card in shown])
    return ShownCard(
        reduce(_below, [_block_text(block, [*islice(texts, len(cards))]) for block, cards in cards_of], ""),
        inner[0].heading if inner else "",
        numbers=tuple(dict.fromkeys(number for card in inner for number in card.numbers)),
        mark=mark,
        reasons=tuple(chain.from_iterable(card.reasons for card in inner)),
    )


def _block_text(block: Block, texts: Sequence[str]) -> str:
    """Return the texts of a block's cards in one: the sentences of a paragraph in a row, all others one below the other."""
    match block:
        case Paragraph():
            return reduce(_joined, texts, "")
        case Listing():
            return "\n".join(f"{BULLET} {text}".replace("\n", f"\n{INDENT}") for text in texts)
        case _:
            return "\n".join(texts)


def introduction(block: Block) -> ShownCard | None:
    """Return a paragraph that introduces the next block, without its colon: it has no citations and ends with a colon."""
    if not isinstance(block, Paragraph) or citations_in(block.content):
        return None
    card = item_card([block])
    return replace(card, text=card.as_title) if card.text.endswith(COLONS) else None


def value_on_card(value: str) -> str:
    """Return a key figure of which a line break parts only number and unit."""
    return _INSIDE_NUMBER.sub("\u00a0", value)


def numbers_in(content: Iterable[Inline]) -> tuple[int, ...]:
    """Return the numbers of cited sources, each once."""
    return tuple(dict.fromkeys(citation.number for citation in citations_in(content)))


def cell_text(content: Inlines) -> str:
    """Return the text of a table's cell with the signs of its marks."""
    signs = "".join(SIGNS[inline.status] for inline in content if isinstance(inline, Mark))
    return _BEFORE_STOP.sub("", words(in_line(content))) + signs


def _below(before: str, after: str) -> str:
    """Put a text below another; signs alone stand behind it."""
    return f"{before}{after}" if after in SIGNS.values() else f"{before}\n{after}".strip("\n")


def _joined(before: str, after: str) -> str:
    """Append a text to another, without a blank after a Chinese stop."""
    blank = " " if before and before[-1] not in "。！？；" else ""
    return f"{before}{blank}{after}"
