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
from services.reports.signs import SIGNS
from services.reports.slides.slide import ShownCard

CODE_LINES = 14
"""Maximum lines of a card of code."""
_COLONS = ":："
_BEFORE_STOP = re.compile(r" (?=[.,;:!?](?:\s|$)|[。，；：！？])")
"""Blank that a citation leaves before a stop."""


def block_cards(block: Block) -> Iterator[ShownCard]:
    """Yield the cards of a block; none for tables, charts and rules."""
    match block:
        case Paragraph(content=content):
            yield from sentence_cards(content)
        case Quotation(blocks=blocks):
            for part in blocks:
                yield from (replace(card, kind="quote") for card in block_cards(part))
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


def sentence_cards(content: Inlines, *, single: bool = False) -> Iterator[ShownCard]:
    """Yield a card for each sentence of a paragraph, or a single card for all of it."""
    for sentence in cited_sentences(in_line(content), single=single):
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
    return replace(card, text=card.text.rstrip(_COLONS)) if card.text.endswith(tuple(_COLONS)) else None


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
