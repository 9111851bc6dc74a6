"""Writes blocks of a checked report as Markdown: list items, table rows, fenced code."""

import re
from collections.abc import Iterable, Sequence


def list_item(marker: str, blocks: Sequence[str], *, tight: bool) -> str:
    """Return an item of a list.

    Args:
        marker: list marker with the blank after it.
        blocks: blocks of the item, in Markdown.
        tight: whether to join blocks without blank lines.
    """
    text = marker + ("\n" if tight else "\n\n").join(blocks).replace("\n", "\n" + " " * len(marker))
    return re.sub(r"(?m)^[ \t]+$", "", text)


def table_row(cells: Iterable[str]) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cells)} |"


def language_of(info: str) -> str:
    """Return the language in the first line of a fenced block."""
    return re.sub(r"[^\w+-].*", "", info or "", flags=re.DOTALL)


def fenced(text: str, language: str) -> str:
    """Return code in a fence that is longer than any run of backticks in the code."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"
