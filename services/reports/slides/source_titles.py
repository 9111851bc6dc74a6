"""Finds the source that each block of a report quotes; its title becomes the card's heading."""

from collections.abc import Iterator, Sequence

from schemas.document import Block, Paragraph, Quotation
from services.reports.document import is_label, words


def headed(blocks: Sequence[Block]) -> Iterator[tuple[str, Block]]:
    """Yield blocks with the title of their single quoted source, or an empty text.

    A line in bold is the title of the quotation after it.
    """
    for place, block in enumerate(blocks):
        before, after = (blocks[at] if 0 <= at < len(blocks) else None for at in (place - 1, place + 1))
        if isinstance(block, Paragraph) and is_label(block.content) and isinstance(after, Quotation):
            continue
        if isinstance(block, Quotation) and isinstance(before, Paragraph) and is_label(before.content):
            yield words(before.content), block
        else:
            yield "", block
