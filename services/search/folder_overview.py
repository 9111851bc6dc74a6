"""What the user's folders hold, in a few lines, so that a plan asks for what can stand there."""

from collections.abc import Sequence
from pathlib import PurePosixPath

MAX_TITLES = 30
"""Texts of a folder up to which all their titles are listed."""
MAX_PARTS = 12
"""Subfolders of a larger folder that are listed, the largest ones."""
DEEPEST = 3
"""Maximum levels of subfolders that are told apart."""
SHOWN, LONGEST_TITLE = 3, 80
"""Titles shown of a part, the first, the middle and the last by path; and characters of each."""


def overview(files: Sequence[tuple[str, str]]) -> list[str]:
    """Describe folders by their texts, each a path that begins with the folder's name, and a title, sorted by path.

    Returns:
        A title a line; of more than `MAX_TITLES` texts a line for each subfolder, with its number of texts and some titles.
    """
    if len(files) <= MAX_TITLES:
        return [title[:LONGEST_TITLE] for _, title in files]
    parts: dict[str, list[str]] = {}
    for depth in range(DEEPEST, 0, -1):
        parts = {}
        for path, title in files:
            parts.setdefault("/".join(PurePosixPath(path).parent.parts[:depth]), []).append(title)
        if len(parts) <= 2 * MAX_PARTS:
            break
    largest = sorted(parts, key=lambda part: -len(parts[part]))[:MAX_PARTS]
    lines = [f"{part}: {len(parts[part])}, such as {_some(parts[part])}" for part in parts if part in largest]
    rest = [len(titles) for part, titles in parts.items() if part not in largest]
    return [*lines, f"{len(rest)} more folders: {sum(rest)}"] if rest else lines


def _some(titles: Sequence[str]) -> str:
    places = sorted({0, len(titles) // 2, len(titles) - 1})[:SHOWN]
    return "; ".join(titles[place][:LONGEST_TITLE] for place in places)
