"""Checks a program's imports for a friendly error before the run; this is not part of the isolation."""

import ast
from collections.abc import Collection

LIBRARIES = (
    "pandas", "numpy", "scipy", "statsmodels", "openpyxl", "xlrd", "xlsxwriter", "matplotlib", "seaborn", "plotly",
)  # fmt: skip
"""Packages of the sandbox's environment; see requirements-sandbox.in."""
STANDARD = frozenset({
    "json", "csv", "datetime", "math", "statistics", "random", "re", "io", "sys", "os", "pathlib", "collections",
    "itertools", "functools", "operator", "decimal", "fractions", "string", "textwrap", "typing", "dataclasses",
    "enum", "time", "calendar", "zoneinfo", "unicodedata", "warnings", "bisect", "heapq", "hashlib", "base64", "copy",
    "glob", "pprint", "contextlib", "abc", "numbers",
})  # fmt: skip


def refused_imports(code: str, installed: Collection[str] = LIBRARIES) -> str:
    """Return the problem of a program's imports, or an empty text.

    A program with syntax errors passes: Python's own error is the clearest.

    Args:
        code: Python source.
        installed: the installed packages among `LIBRARIES`.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    refused = sorted(names - STANDARD - {*installed, "__future__", "mpl_toolkits"})
    if not refused:
        return ""
    there = ", ".join(name for name in LIBRARIES if name in installed)
    use = f"use the standard library's plain parts (json, csv, re, math, statistics, datetime, …){there and ' or '}{there}"
    return f"import of {', '.join(refused)} is not possible here; {use}"
