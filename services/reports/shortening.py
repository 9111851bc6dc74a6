"""Changes of a report that need no model: without a section, or with the beginning of each."""

from collections.abc import Sequence
from dataclasses import replace

from schemas.document import Block, Heading, Listing, Paragraph
from services.reports.document import is_label, without_empty_sections, words
from services.reports.sentences import Units, ids_in, join_sentences, sentences_of, units_of

SENTENCES, ITEMS = 2, 2
"""Sentences of a section's first paragraph, or items of its first list, that remain in a shortened report."""


def headings_of(blocks: Sequence[Block]) -> list[str]:
    """Return the headings of a report's sections, without the title."""
    return [words(block.content) for block in blocks if isinstance(block, Heading) and block.level > 1]


def without_section(blocks: Sequence[Block], heading: str) -> tuple[Block, ...] | None:
    """Return a report without a section, those inside it, and one that held nothing else; None if no section has this heading."""
    kept: list[Block] = []
    dropped = 0
    """Level of the section that is left out; 0 outside of it."""
    for block in blocks:
        if isinstance(block, Heading) and (not dropped or block.level <= dropped):
            dropped = block.level if block.level > 1 and words(block.content) == heading.strip() else 0
        if not dropped:
            kept.append(block)
    return without_empty_sections(kept) if len(kept) < len(blocks) else None


def shortened(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the title, the text before the first section, and of each section the beginning of its first block.

    Labels stay above what they name; a section that holds only labels goes.
    """
    kept: list[Block] = []
    waiting: list[Block] = []
    """A heading and labels, until a block below them is kept."""
    complete = in_section = False
    for block in blocks:
        if isinstance(block, Heading):
            in_section, complete = block.level > 1, False
            waiting = [block] if in_section else []
            kept += [] if in_section else [block]
        elif not in_section:
            kept.append(block)
        elif not complete and isinstance(block, Paragraph) and is_label(block.content):
            waiting.append(block)
        elif not complete:
            kept += [*waiting, _beginning(block)]
            complete = True
    return tuple(kept)


def _beginning(block: Block) -> Block:
    """Return the first sentences of a paragraph up to a citation, or the first items of a list; other blocks stay whole."""
    if isinstance(block, Listing):
        return replace(block, items=block.items[:ITEMS])
    if not isinstance(block, Paragraph):
        return block
    told: list[Units] = []
    for sentence in sentences_of(units_of(block.content)):
        told.append(sentence)
        if len(told) >= SENTENCES and ids_in(sentence):
            return Paragraph(join_sentences(told))
    return block
