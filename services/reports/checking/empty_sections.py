"""Removes sections of a report without content."""

from markdown_it.tree import SyntaxTreeNode


def without_empty_sections(blocks: list[tuple[SyntaxTreeNode, str]], *, dropped: bool) -> list[str]:
    """Remove empty blocks and, if sentences were dropped, headings without content below them."""
    texts: list[str] = []
    level_below = 0
    for node, text in reversed(blocks):
        if not text:
            continue
        level = int(node.tag[1]) if node.type == "heading" else 9
        if dropped and 1 < level < 9 and level_below <= level:
            continue
        level_below = level
        texts.append(text)
    return texts[::-1]
