"""Which libraries code may import: a friendly error before the run, and nothing more. The isolation is elsewhere."""

import ast

ALLOWED = frozenset({
    "json", "csv", "datetime", "math", "statistics", "random", "pandas", "numpy", "scipy", "statsmodels", "openpyxl",
    "xlrd", "xlsxwriter", "matplotlib", "seaborn", "plotly", "re", "io", "sys", "os", "pathlib", "collections",
    "itertools", "functools", "operator", "decimal", "fractions", "string", "textwrap", "typing", "dataclasses",
    "enum", "time", "calendar", "zoneinfo", "unicodedata", "warnings", "bisect", "heapq", "hashlib", "base64", "copy",
    "pprint", "contextlib", "abc", "numbers",
})  # fmt: skip


def refused_imports(code: str) -> str:
    """Return what is wrong with a program's imports, or nothing.

    A program that does not even parse is let through: Python's own error says it best.
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
    refused = sorted(names - ALLOWED)
    if not refused:
        return ""
    use = "use the standard library's plain parts, pandas, numpy or openpyxl"
    return f"import of {', '.join(refused)} is not possible here; {use}"
