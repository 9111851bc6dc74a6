"""Text from outside as types: what is built from it holds no control characters, halves of characters or hidden directions.

A terminal obeys control characters, a log breaks at them, JSON and UTF-8 cannot carry halves of surrogate pairs, and
characters that turn the direction of writing show a name as another. Models take these types for what comes from outside,
so that nothing can be made with such a text.
"""

import re
import unicodedata
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, StringConstraints

LONGEST_NAME = 120
"""Bytes of a file's name."""
LONGEST_ADDRESS = 4_000
"""Characters of an address of the web."""
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_DIRECTIONS = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_NO_NAME = re.compile(r'[<>:"/\\|?*]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)


def clean_text(text: str) -> str:
    r"""Return a text of several lines: `\n` ends them, tabs stay, other control characters do not."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))


def clean_line(text: str) -> str:
    """Return a text of one line, such as a title: line ends and tabs are blanks, and nothing turns the direction."""
    return _DIRECTIONS.sub("", clean_text(text).replace("\n", " ").replace("\t", " "))


def clean_file_name(name: str) -> str:
    """Return a name that any file system takes: no path, nothing that cannot be seen, not hidden, not reserved, not too long.

    Bytes that are no UTF-8, which Python reads as halves of surrogate pairs, are left out.
    """
    visible = _DIRECTIONS.sub(" ", _CONTROLS.sub(" ", name))
    composed = unicodedata.normalize("NFC", visible.replace("\\", "/")).rpartition("/")[2]
    plain = " ".join(_NO_NAME.sub(" ", composed).split()).strip(". ")
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix.encode()) > LONGEST_NAME // 2:
        stem, dot, suffix = plain, "", ""
    room = LONGEST_NAME - len((dot + suffix).encode())
    stem = stem.encode()[:room].decode(errors="ignore").rstrip(". ") or "document"
    return f"{'_' if _RESERVED.match(f'{stem}{dot}') else ''}{stem}{dot}{suffix}"


def clean_address(text: str) -> str:
    """Return an address of the web as it is; empty where it is none (`javascript:`, no host, blanks, too long)."""
    address = text.strip()
    if len(address) > LONGEST_ADDRESS or clean_line(address) != address or any(map(str.isspace, address)):
        return ""
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return ""
    return address if usable else ""


CleanText = Annotated[str, BeforeValidator(lambda value: clean_text(value) if isinstance(value, str) else value)]
"""A text that may have lines."""
CleanLine = Annotated[str, BeforeValidator(lambda value: clean_line(value) if isinstance(value, str) else value)]
"""A title, a name, an address."""
Name = Annotated[str, StringConstraints(max_length=200)]
Line = Annotated[str, StringConstraints(max_length=2_000)]
Paragraph = Annotated[str, StringConstraints(max_length=5_000)]
"""Texts with an end, as a run's choices and profiles are kept, shown and asked about."""
Folder = Annotated[str, StringConstraints(max_length=4_096)]
"""A path, as long as systems take one."""
Domain = Annotated[str, StringConstraints(max_length=253)]
"""A host's name, as long as there are any."""


def beginning(text: str, longest: int) -> str:
    """Return a text on one line, of one with more than so many characters the beginning with `…` behind it."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"


def short_line(value: object, longest: int) -> object:
    """Return a text from outside as one line, cut with `…` behind it where it is too long; any other value as it is."""
    if not isinstance(value, str):
        return value
    line = " ".join(clean_line(value[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def short_names(value: object, longest: int, count: int) -> object:
    """Return the first names of a list from outside, each once and in one line; any other value as it is."""
    if not isinstance(value, list | tuple):
        return value
    names = (short_line(name, longest) for name in value[: 4 * count] if isinstance(name, str))
    return list(dict.fromkeys(name for name in names if name))[:count]
