"""Texts that regular expressions and parsers once needed minutes or for ever to read."""

from pathlib import Path

LENGTH = 40_000
"""Characters of most of them."""
ABOUT = "# The brass quadrant\n\nThe brass quadrant was made by Jesse Ramsden in 1777. "
TEXTS = {
    "ids": "[" + "E1-1 " * 200 + "x",
    "blanks": f"a{' ' * LENGTH}b",
    "heading": f"#{' ' * 800}x\n#{' ' * LENGTH}x",
    "dots": f"{'.' * LENGTH}x",
    "numbers": "1," * (LENGTH // 2),
    "fractions": "1" * LENGTH,
    "brackets": "[" * LENGTH,
    "marks": "a" + "\u0301\u0323" * (LENGTH // 2),
    "quotation": "“" * LENGTH,
    "thoughts": "<think>" * (LENGTH // 7),
    "dashes": "—" * LENGTH,
    "links": "[[1]](" * (LENGTH // 6),
    "capitals": f"{'A-' * (LENGTH // 2)}x",
}
QUESTION = f"When was the brass quadrant made? [{'E1-1 ' * 60}x {'.' * 500}{' ' * 500}x {'1,' * 500} {'“' * 300}"
"""A hostile question within the bound of a question."""


def write_documents(folder: Path) -> Path:
    """Write each text as a document that a question about the quadrant finds."""
    folder.mkdir(parents=True)
    for name, text in TEXTS.items():
        (folder / f"{name}.md").write_text(f"{ABOUT}{text}\n\nIn 1777 Jesse Ramsden made it. {text[:2_000]}\n", "utf-8")
    return folder
