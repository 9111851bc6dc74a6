"""Converts blocks of a report to cards: each with a sentence, a quote, a list item, or a piece of code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from schemas.document import Block, Code, Display, Heading, Inline, Inlines, Listing, Mark, Paragraph, Quotation
from services.reports.document import citations_in, words
from services.reports.plain_math import in_line, plain_math
from services.reports.sentences import cited_sentences
from services.reports.slides.slide import TITLE, ShownCard, width
from services.reports.statuses import SIGNS

CODE_LINES = 14
"""Maximum lines of a card of code."""
COLONS = (":", "：")
_INSIDE_NUMBER = re.compile(r" (?=[^\w\s]*\d|[±–~-])")
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$)|[。，；：！？])")
"""Blank that a citation leaves before a stop."""


def block_cards(block: Block) -> Iterator[ShownCard]:
    """Yield the cards of a block; none for tables, charts and rules."""
    match block:
        case Paragraph(content=content):
            for place, card in enumerate(sentence_cards(content)):
                fits = not card.mark and width(card.text) <= TITLE
                yield replace(card, leads=fits and (place == 0 or card.text.endswith(COLONS)))
        case Quotation(blocks=blocks):
            for part in blocks:
                yield from (replace(card, kind="quote", leads=False) for card in block_cards(part))
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
        case _:
            return


def sentence_cards(content: Inlines) -> Iterator[ShownCard]:
    """Yield a card for each sentence of a paragraph."""
    for sentence in cited_sentences(in_line(content)):
        reasons = ((sentence.text, sentence.mark),) if sentence.mark else ()
        yield ShownCard(sentence.text, numbers=numbers_in(sentence.citations), mark=sentence.mark, reasons=reasons)


def item_card(item: Sequence[Block]) -> ShownCard:
    """Return one card for blocks that belong together."""
    inner = [card for block in item for card in block_cards(block)]
    shown = [
        replace(card, text=plain_math(card.text) if card.kind == "formula" else with_sign(card)) for card in inner[:-1]
    ] + [replace(card, text=plain_math(card.text)) if card.kind == "formula" else card for card in inner[-1:]]
    return ShownCard(
        reduce(_joined, (card.text for card in shown), ""),
        numbers=tuple(dict.fromkeys(number for card in inner for number in card.numbers)),
        mark=inner[-1].mark if inner else None,
        reasons=tuple(chain.from_iterable(card.reasons for card in inner)),
    )


def introduction(block: Block) -> ShownCard | None:
    """Return a paragraph that introduces the next block, without its colon: it has no citations and ends with a colon."""
    if not isinstance(block, Paragraph) or citations_in(block.content):
        return None
    card = item_card([block])
    return replace(card, text=title_text(card)) if card.text.endswith(COLONS) else None


def value_on_card(value: str) -> str:
    """Return a key figure of which a line break parts only number and unit."""
    return _INSIDE_NUMBER.sub("\u00a0", value)


def title_text(card: ShownCard) -> str:
    """Return a card's text as a title: without a colon or a full stop at the end."""
    return card.text.rstrip(":：。").removesuffix(".")


def numbers_in(content: Iterable[Inline]) -> tuple[int, ...]:
    """Return the numbers of cited sources, each once."""
    return tuple(dict.fromkeys(citation.number for citation in citations_in(content)))


def with_sign(card: ShownCard) -> str:
    """Return a card's text with the sign of its mark."""
    return f"{card.text}{SIGNS[card.mark.status]}" if card.mark else card.text


def cell_text(content: Inlines) -> str:
    """Return the text of a table's cell with the signs of its marks."""
    signs = "".join(SIGNS[inline.status] for inline in content if isinstance(inline, Mark))
    return _BEFORE_STOP.sub("", words(in_line(content))) + signs


def _joined(before: str, after: str) -> str:
    """Append a text to another, without a blank after a Chinese stop."""
    blank = " " if before and before[-1] not in "。！？；" else ""
    return f"{before}{blank}{after}"
