"""Reads plain text as its readers see it: underlined lines are headings, and a file with comments of `#` lines is code."""

import re
from collections.abc import Iterator, Sequence
from unicodedata import east_asian_width

from schemas.card import LONGEST_TITLE
from services.search.files import read_man
from services.text.code_blocks import in_fence

_RULE = re.compile(r"([-=~*^_#\"+.])\1{2,}")
_COMMENT = re.compile(r"(?m)^(?>(?:#(?:[ \t][^\n]*+)?(?:\n|\Z))+)")
_NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]++(?=\S)")
"""The number of a section, before its name."""
_COLUMNS = re.compile(r"\S[ \t]{2,}\S")
"""What heads a table: names with more than a blank between them."""
_OUTLINE = re.compile(r"(?m)(?<![^\n])(?<!\S\n)(\*{1,6}+)(?= \S[^\n]*\n(?:\n|\Z))")
"""Signs before a heading of an outline, as in the files `NEWS` of GNU: a line of its own between blank ones."""
UNEVEN = 3
"""Columns that a line below a title may be longer or shorter than it."""
MAX_TITLE_LINES = 3
"""Lines of a title between two rules."""
DEEPEST = 6
"""Levels of headings that Markdown has."""


def as_markdown(text: str) -> str:
    """Return plain text, or the source of a manual page, with the headings of Markdown, or as code in a fence."""
    if read_man.BEGINS.match(text):
        return read_man.as_markdown(text)
    comments = [comment.strip().count("\n") + 1 for comment in _COMMENT.findall(text)]
    if text.startswith("#!") or sum(count for count in comments if count > 1) > comments.count(1):
        return "\n".join(in_fence(text.strip("\n")))
    if "**" in _OUTLINE.findall(text):
        return _OUTLINE.sub(lambda signs: "#" * len(signs[1]), text)
    lines = [line.rstrip() for line in text.split("\n")]
    headed = [*_with_headings(lines, 0)]
    title, below = _title(lines, has_headings=headed != lines)
    if title:
        return "\n".join([f"# {title}", "", *_with_headings(lines[below:], 1)])
    return text if headed == lines else "\n".join(headed)


def _title(lines: Sequence[str], *, has_headings: bool) -> tuple[str, int]:
    """Return the title that a text begins with, between two rules, or above headings alone between blank lines, and the place below it; empty without one."""
    first = next((place for place, line in enumerate(lines) if line), 0)
    rule, name = lines[first], lines[first].strip()
    if _RULE.fullmatch(name):
        ends = (place for place in range(first + 2, first + 2 + MAX_TITLE_LINES) if lines[place : place + 1] == [rule])
        if (end := next(ends, 0)) and rule[0].isspace():
            return " ".join(filter(None, map(str.strip, lines[first + 1 : end]))), end + 1
        return "", 0
    alone = has_headings and not "".join(lines[first + 1 : first + 2]) and len(name) <= LONGEST_TITLE
    is_name = alone and name[:1].isalnum() and name[-1] not in ".:;,。：；，" and ": " not in name
    return (name, first + 1) if is_name and not _COLUMNS.search(name) else ("", 0)


def _with_headings(lines: Sequence[str], above: int) -> Iterator[str]:
    """Yield lines with underlined ones as headings, below so many levels: by how they are underlined, then by the parts of their numbers."""
    styles: list[tuple[str, bool]] = []
    place = 0
    while place < len(lines):
        overlined = _RULE.fullmatch(lines[place]) is not None
        name, rule = ("".join(lines[at : at + 1]) for at in (place + overlined, place + overlined + 1))
        begins = place == 0 or not lines[place - 1]
        if not (begins and _is_underlined(name, rule) and (not overlined or lines[place] == rule)):
            yield lines[place]
            place += 1
            continue
        style = (rule[0], overlined)
        if style not in styles:
            styles.append(style)
        number = _NUMBER.match(name)
        level = above + styles.index(style) + 1 + (number[1].count(".") if number else 0)
        yield f"{'#' * min(DEEPEST, level)} {name}"
        place += 2 + overlined


def _is_underlined(name: str, rule: str) -> bool:
    if not name or name[0].isspace() or not _RULE.fullmatch(rule) or not any(map(str.isalnum, name)):
        return False
    width = sum(1 + (east_asian_width(char) in {"W", "F"}) for char in name)
    return abs(width - len(rule)) <= UNEVEN and not _COLUMNS.search(_NUMBER.sub("", name, count=1))
