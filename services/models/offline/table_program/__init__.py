"""The program that the offline coder writes over one table: the modules of this folder in one file, and what was asked.

They stay clear of every package but openpyxl and of the rest of Leadline, so that the program runs alone in the sandbox.
"""

import ast
from pathlib import Path

_MODULES = (
    "reading", "naming", "operations", "periods", "columns", "asking", "figures", "teller", "totals", "groups", "answering",
)  # fmt: skip
"""In the order in which one needs another."""


def _source(module: str) -> str:
    """Return a module without its imports of the others."""
    text = (Path(__file__).parent / f"{module}.py").read_text("utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        own = isinstance(node, ast.ImportFrom) and str(node.module).startswith(__name__)
        if own and node.end_lineno is not None:
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(lines).strip()


_LIBRARY = "\n\n\n".join(_source(module) for module in _MODULES)


def table_program(*, file: str, sheet: str, parts: list[str], concepts: list[list[str]], chinese: bool) -> str:
    """Return a complete program.

    Args:
        file: a table in the working folder.
        sheet: of a workbook; empty for its first.
        parts: of the question, each answered by a computation of its own; columns, values and limits are recognised in them.
        concepts: words of the question, each followed by what it is called in the table's language.
        chinese: the language of what it prints.
    """
    asked = f"main({file!r}, {sheet!r}, {parts!r}, {concepts!r}, {chinese!r})"
    return f"{_LIBRARY}\n\n\n{asked}\n"
