"""Names of files and folders for titles and questions, safe on every file system."""

import re

from services.text.normal_form import normal_form


def slug_of(text: str, max_length: int, other: str) -> str:
    """Return lower-case words joined by hyphens, in any script."""
    words = re.findall(r"\w+", normal_form("NFKC", text[: 20 * max_length]).lower())
    return "-".join(words)[:max_length].strip("-_") or other
