"""Finds the source that each block of a report quotes; its title becomes the card's heading."""

from collections.abc import Iterator, Sequence

from services.reports.document import (
    Block,
    Paragraph,
    ParsedReport,
    Quotation,
    citations_in,
    is_label,
    words,
)


def headed(blocks: Sequence[Block], report: ParsedReport) -> Iterator[tuple[str, Block]]:
    """Yield blocks with the title of their single quoted source, or an empty text.

    A line in bold is the title of the quotation after it. A paragraph of a report by rules is what they took of one source.
    """
    titles = {reference.number: reference.title for reference in report.references}
    for place, block in enumerate(blocks):
        before, after = (blocks[at] if 0 <= at < len(blocks) else None for at in (place - 1, place + 1))
        if isinstance(block, Paragraph) and is_label(block.content) and isinstance(after, Quotation):
            continue
        if isinstance(block, Quotation) and isinstance(before, Paragraph) and is_label(before.content):
            yield words(before.content), block
        elif report.by_rules and isinstance(block, Paragraph) and len(_numbers(block)) == 1:
            yield titles.get(_numbers(block)[0], ""), block
        else:
            yield "", block


def _numbers(paragraph: Paragraph) -> tuple[int, ...]:
    """Return the numbers of a paragraph's cited sources, each once."""
    return tuple(dict.fromkeys(citation.number for citation in citations_in(paragraph.content)))
