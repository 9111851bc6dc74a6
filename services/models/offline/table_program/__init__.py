"""The program that the offline coder writes over one table: `program.py`, and below it what was asked.

`program.py` needs nothing but pandas, so that it runs alone in the sandbox.
"""

from collections.abc import Sequence
from pathlib import Path

_PROGRAM = (Path(__file__).parent / "program.py").read_text("utf-8")


_REFUSALS = ("No column or value of ", " 中没有与")
"""Beginnings of the program's messages, after the file's name if any, about a question that it does not understand."""


def is_refusal(text: str) -> bool:
    """Tell whether an output line of the program says that it did not understand the question."""
    return text.startswith(_REFUSALS[0]) or _REFUSALS[1] in text


def table_program(
    *, file: str, sheet: str, clauses: Sequence[str], translations: Sequence[Sequence[str]], chinese: bool
) -> str:
    """Return a complete program.

    Args:
        file: name of a table in the working folder.
        sheet: sheet of a workbook; empty for the first.
        clauses: clauses of the question, each answered by its own computation.
        translations: words of the question, each followed by its translations into the table's language.
        chinese: whether the program prints Chinese.
    """
    return (
        f"{_PROGRAM}\n\nmain({file!r}, {sheet!r}, {list(clauses)!r}, {list(map(list, translations))!r}, {chinese!r})\n"
    )
