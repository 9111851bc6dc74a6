"""The program that the offline coder writes over one table: `program.py`, and below it what was asked.

`program.py` needs nothing but pandas, so that it runs alone in the sandbox.
"""

from collections.abc import Sequence
from pathlib import Path

_PROGRAM = (Path(__file__).parent / "program.py").read_text("utf-8")


_REFUSALS = ("No column or value of ", " 中没有与")
"""How the program begins, or goes on after the name of the file, where it does not understand what is asked."""


def is_refusal(text: str) -> bool:
    """Tell whether a line of the program says that it did not understand what is asked."""
    return text.startswith(_REFUSALS[0]) or _REFUSALS[1] in text


def table_program(
    *, file: str, sheet: str, clauses: Sequence[str], translations: Sequence[Sequence[str]], chinese: bool
) -> str:
    """Return a complete program.

    Args:
        file: a table in the working folder.
        sheet: of a workbook; empty for its first.
        clauses: of the question, each answered by a computation of its own.
        translations: words of the question, each followed by what it is called in the table's language.
        chinese: the language of what it prints.
    """
    return (
        f"{_PROGRAM}\n\nmain({file!r}, {sheet!r}, {list(clauses)!r}, {list(map(list, translations))!r}, {chinese!r})\n"
    )
