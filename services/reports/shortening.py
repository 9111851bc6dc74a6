"""Changes of a report that need no model: without a section, or with the beginning of each."""

import re
from itertools import pairwise

from services.reports.editing import Block, blocks_of, joined
from services.text.passages import sentences

SENTENCES, ITEMS = 2, 2
"""Sentences of a section's first paragraph, or items of its first list, that remain in a shortened report."""
_CITED = re.compile(r"\[[^\[\]]{0,400}[BEMT]\d+-\d+\]")
_LABEL = re.compile(r"\*\*[^*\n]{1,200}\*\*[:：]?(?:\s?\[[^\[\]\n]{1,400}\]){0,20}")
"""A block that only names what stands below it."""
_BEHIND = re.compile(r"\s?(?:\[[^\[\]]{0,400}\])+")


def headings_of(draft: str) -> list[str]:
    """Return the headings of a draft's sections, without the title."""
    return [_words(block) for block in blocks_of(draft) if block.depth > 1]


def without_section(draft: str, heading: str) -> str | None:
    """Return a draft without a section and those inside it; None if no section has this heading."""
    blocks = blocks_of(draft)
    kept: list[Block] = []
    dropped = 0
    """Depth of the section that is left out; 0 outside of it."""
    for block in blocks:
        depth = block.depth
        if depth and (not dropped or depth <= dropped):
            dropped = depth if depth > 1 and _words(block) == heading.strip() else 0
        if not dropped:
            kept.append(block)
    return _text(kept, blocks) if len(kept) < len(blocks) else None


def shortened(draft: str) -> str:
    """Return the title, the text before the first section, and of each section the beginning of its first block.

    Labels stay above what they name; a section that holds only labels goes.
    """
    blocks = blocks_of(draft)
    kept: list[Block] = []
    waiting: list[Block] = []
    """A heading and labels, until a block below them is kept."""
    in_section, items = False, 0
    """`items`: blocks of the section that are kept."""
    for before, block in pairwise([Block("", "", tight=False), *blocks]):
        if depth := block.depth:
            in_section, items = depth > 1, 0
            kept += [] if in_section else [block]
            waiting = [block] if in_section else []
        elif not in_section:
            kept.append(block)
        elif not items and _LABEL.fullmatch(block.text):
            waiting.append(block)
        elif not items:
            kept += [*waiting, Block(block.id, _beginning(block), block.tight)]
            waiting, items = [], 1
        elif items and _goes_on(before, block, items) and before.id == kept[-1].id:
            kept.append(block)
            items += 1
    return _text(kept, blocks)


def _text(kept: list[Block], blocks: list[Block]) -> str:
    return joined(kept, {block.id: before for before, block in pairwise(blocks)})


def _goes_on(before: Block, block: Block, items: int) -> bool:
    """Tell whether a row belongs to the table before it, or an item to the list, as far as that is kept."""
    return block.tight and block.kind == before.kind and (block.kind == "|" or (block.kind == "-" and items < ITEMS))


def _words(block: Block) -> str:
    return block.text.lstrip("#").strip()


def _beginning(block: Block) -> str:
    """Return the first sentences of a paragraph up to a citation; other blocks stay whole."""
    if block.kind or block.text.startswith((">", "`", "~", "$")):
        return block.text
    told = " ".join(block.text.split("\n"))
    start = 0
    for place, span in enumerate(sentences(told), 1):
        behind = _BEHIND.match(told, span.end)  # a citation may follow the full stop
        end = behind.end() if behind else span.end
        if place >= SENTENCES and _CITED.search(told, start, end):
            return told[:end].rstrip()
        start = end
    return told
