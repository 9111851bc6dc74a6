"""Blocks of a checked report as Markdown: list items, rows of tables, fenced code."""

import re
from collections.abc import Iterable, Sequence


def list_item(marker: str, blocks: Sequence[str], *, tight: bool) -> str:
    """Return an item of a list.

    Args:
        marker: with the blank behind it.
        blocks: of the item, in Markdown.
        tight: no blank lines stand between them.
    """
    text = marker + ("\n" if tight else "\n\n").join(blocks).replace("\n", "\n" + " " * len(marker))
    return re.sub(r"(?m)^[ \t]+$", "", text)


def table_row(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def language_of(info: str) -> str:
    """Return the language that the first line of a fenced block names."""
    return re.sub(r"[^\w+-].*", "", info or "", flags=re.DOTALL)


def fenced(text: str, language: str) -> str:
    """Return code in a fence that is longer than any run of backticks in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
